import { createServer, Agent as HttpAgent, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { WebSocketServer } from 'ws';
import { startEvmNode } from '../../tests/support/evm-node.js';
import { httpProxy } from './library.js';

/** What the gateway is measured against, and what stands behind it; each in a process of its own, so that its cost is not counted. */
export type Role = 'node' | 'proxy' | 'http-proxy' | 'http-proxy with keep-alive' | 'bare' | 'broadcast' | 'chain';
export type ToPeer = { readonly count: number; readonly bytes: number };

const [, , role = '', upstream = ''] = process.argv;

const smallBytes = 420;
const largeBytes = 100_000;
const small = `"0x${'1'.repeat(smallBytes)}"`;
const large = `"0x${'2'.repeat(largeBytes)}"`;
const idPattern = /"id":(\d+)/;
const json = (body: string | Buffer) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
});

const read = (from: IncomingMessage, done: (body: Buffer) => void) => {
  const chunks: Buffer[] = [];
  from.on('data', (chunk: Buffer) => chunks.push(chunk));
  from.on('end', () => done(Buffer.concat(chunks)));
};

/** A block is the answer to questions by hash, code is long, everything else short. */
const resultFor = (body: string) => {
  if (body.includes('eth_getCode')) return large;
  const hash = /0x[0-9a-f]{64}/.exec(body)?.[0];
  return hash ? `{"hash":"${hash}","extra":${small}}` : small;
};
const node: RequestListener = (from, to) =>
  read(from, (bytes) => {
    const body = bytes.toString();
    const answer = `{"jsonrpc":"2.0","id":${idPattern.exec(body)?.[1]},"result":${resultFor(body)}}`;
    to.writeHead(200, json(answer)).end(answer);
  });

const agent = new Agent({ connections: 256 });
const pass = async (body: Buffer) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(upstream, { dispatcher: agent, method: 'POST', headers, body });
  return Buffer.from(await answer.body.arrayBuffer());
};
const proxy: RequestListener = (from, to) =>
  read(from, (body) => {
    void pass(body).then((answer) => to.writeHead(200, json(answer)).end(answer));
  });

/** As it comes it opens a connection for every request; with an agent it keeps them. */
const proxyByLibrary = (agent?: HttpAgent): RequestListener => {
  const library = httpProxy.createProxyServer({ target: upstream, ...(agent && { agent }) });
  return (from, to) => library.web(from, to);
};

const fixed = `{"jsonrpc":"2.0","id":1,"result":{"hash":"0x${'3'.repeat(64)}","extra":${small}}}`;
const bare: RequestListener = (from, to) => read(from, () => to.writeHead(200, json(fixed)).end(fixed));

const listen = async (listener?: RequestListener) => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const broadcast = async () => {
  const { server, url } = await listen();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  const tell = (message: Buffer) => {
    for (const client of sockets.clients) client.send(message, { binary: false });
  };
  process.on('message', ({ count, bytes }: ToPeer) => {
    const message = Buffer.alloc(bytes, 'x');
    // One event after the other, as they come from a chain.
    const next = (left: number) => {
      if (left === 0) return;
      tell(message);
      setImmediate(next, left - 1);
    };
    next(count);
  });
  return url;
};
const chain = async () => {
  const served = await startEvmNode();
  served.chain.mine();
  process.on('message', ({ count }: ToPeer) => {
    for (let i = 0; i < count; i++) served.chain.mine();
  });
  return served.wsUrl;
};

const start: Readonly<Record<Role, () => Promise<string>>> = {
  node: async () => (await listen(node)).url,
  proxy: async () => (await listen(proxy)).url,
  'http-proxy': async () => (await listen(proxyByLibrary())).url,
  'http-proxy with keep-alive': async () => (await listen(proxyByLibrary(new HttpAgent({ keepAlive: true })))).url,
  bare: async () => (await listen(bare)).url,
  broadcast,
  chain,
};
process.on('disconnect', () => process.exit());
process.send?.(await start[role as Role]());
