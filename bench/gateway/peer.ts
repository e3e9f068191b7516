import { createServer, Agent as HttpAgent, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { WebSocketServer } from 'ws';
import { startEvmNode } from '../../tests/support/chains/evm-node.js';
import { httpProxy } from './library.js';

/** Programs that the gateway is compared with or connected to. Each runs in a separate process. */
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

/** Results of the requests by which a gateway periodically identifies the chain. */
const chainId = '"0x1"';
const block = `{"number":"0x0","hash":"0x${'b'.repeat(64)}","parentHash":"0x${'0'.repeat(64)}"}`;

/**
 * Returns the result of a request: a block for a request by hash, 100 KB of text for `eth_getCode`, and 420 bytes of
 * text for most other requests.
 */
const resultFor = (body: string) => {
  if (body.includes('eth_getCode')) return large;
  if (body.includes('eth_chainId')) return chainId;
  if (body.includes('eth_getBlockByNumber')) return block;
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

/** Creates a proxy with http-proxy, which opens a new connection for every request unless it has an agent. */
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
  const broadcastMessage = (message: Buffer) => {
    for (const client of sockets.clients) client.send(message, { binary: false });
  };
  process.on('message', ({ count, bytes }: ToPeer) => {
    const message = Buffer.alloc(bytes, 'x');
    // Sends one message per turn of the event loop, because blocks of a chain also arrive one by one.
    const next = (left: number) => {
      if (left === 0) return;
      broadcastMessage(message);
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
