import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createEvmChain, hex } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { embedded } from '../../support/engines/engines.js';
import { until } from '../../support/eventually.js';
import { connectTo, gatewayUrl, keyOf, post, rejectedUpgrade, socketUrl } from '../../support/gateway/gateway.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const call = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const hash = (i: number) => `0x${i.toString(16).padStart(64, '0')}`;

/** Builds a WebSocket frame of a client, with mask 0; `length` is the length that its header claims. */
const frame = (first: number, payload: Buffer, length = payload.length) => {
  const head = Buffer.alloc(14);
  head[0] = first;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
};
const text = 0x81;
const firstPart = 0x01;
const nextPart = 0x00;
const lastPart = 0x80;
const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
const compressed = 0x40;

describe('the node gateway under abuse', () => {
  let node: EvmNode;
  let service: Service;
  before(async () => {
    const chain = createEvmChain();
    for (let i = 0; i < 12_000; i++) chain.mine();
    node = await startEvmNode({ chain });
    service = await startService({ on: embedded, env: { GATEWAY_C_MAINNET_URLS: node.url } });
  });
  after(async () => {
    await service.stop();
    await node.close();
  });

  it('forbids browsers to guess the type of its answers, also when it rejects a call or a connection', async () => {
    const answers = [
      await post(gatewayUrl(service), call('eth_blockNumber')),
      await post(gatewayUrl(service), '{'),
      await post(gatewayUrl(service, 'unknown'), call('eth_blockNumber')),
      await fetch(gatewayUrl(service)),
    ];
    for (const { headers } of answers) assert.equal(headers.get('x-content-type-options'), 'nosniff');
    const { headers } = await rejectedUpgrade(socketUrl(service, 'unknown'));
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  describe('by WebSocket frames', () => {
    const open = async () => {
      const { hostname, port, pathname } = new URL(socketUrl(service));
      const socket = connect(Number(port), hostname);
      const greeting = [
        `GET ${pathname} HTTP/1.1`,
        `host: ${hostname}`,
        'upgrade: websocket',
        'connection: upgrade',
        'sec-websocket-version: 13',
        `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
        'sec-websocket-extensions: permessage-deflate',
      ];
      socket.write(`${greeting.join('\r\n')}\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1.1 101/);
      assert.doesNotMatch(answer.toString(), /permessage-deflate/);
      return socket;
    };
    /** Finds the code of the close frame; every frame that the server sends here has a one-byte length. */
    const codeIn = (received: Buffer) => {
      for (let at = 0; at + 4 <= received.length; at += 2 + (received[at + 1] as number))
        if (received[at] === 0x88) return received.readUInt16BE(at + 2);
      return null;
    };
    const closing = (socket: Socket) =>
      new Promise<number | null>((resolve) => {
        let received = Buffer.alloc(0);
        socket.on('data', (chunk) => {
          received = Buffer.concat([received, chunk]);
          if (codeIn(received) !== null) socket.destroy();
        });
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(codeIn(received)));
      });
    type Abuse = { readonly code: number; readonly abuse: (socket: Socket) => unknown };
    const abuses: Readonly<Record<string, Abuse>> = {
      'announces 100 MiB': {
        code: 1009,
        abuse: (socket) => socket.write(frame(text, Buffer.alloc(10), 100 * 1_048_576)),
      },
      'sends a message in 16 000 parts': {
        code: 1008,
        abuse: (socket) => {
          socket.write(frame(firstPart, Buffer.from('[')));
          for (let i = 0; i < 16_000; i++) socket.write(frame(nextPart, Buffer.from(' ')));
          socket.write(frame(lastPart, Buffer.from(']')));
        },
      },
      'sends parts without end': {
        code: 1009,
        abuse: (socket) => {
          socket.write(frame(firstPart, Buffer.from('[')));
          for (let i = 0; i < 200; i++) socket.write(frame(nextPart, Buffer.alloc(64 * 1024)));
        },
      },
      'pings without end': {
        code: 1008,
        abuse: (socket) => {
          for (let i = 0; i < 5000; i++) socket.write(ping);
        },
      },
      'compresses though no compression was agreed on': {
        code: 1002,
        abuse: (socket) => socket.write(frame(text | compressed, Buffer.alloc(100))),
      },
    };
    for (const [what, { code, abuse }] of Object.entries(abuses))
      it(`closes only the connection of a client that ${what}, with code ${code}`, async () => {
        const other = await connectTo(socketUrl(service));
        const socket = await open();
        abuse(socket);
        assert.equal(await closing(socket), code);
        assert.equal((await other.call('net_version')).result, '1337');
        other.socket.terminate();
      });
  });

  it('rejects eth_getLogs over too many blocks or topics, and says what to request instead', async () => {
    const logs = async (filter: unknown) => {
      const answer = JSON.parse((await post(gatewayUrl(service), call('eth_getLogs', filter))).text);
      return answer.error ? [answer.error.code, answer.error.message] : answer.result.length;
    };
    const tooFar = [-32_602, 'invalid argument 0 (filter): must cover at most 10000 blocks: split the range'];
    const asked = node.asked.filter((method) => method === 'eth_getLogs').length;
    for (const [fromBlock, toBlock] of [
      ['earliest', 'latest'],
      ['0x0', undefined],
      ['0x1', hex(11_000)],
      ['0x1', hex(2 ** 40)],
    ])
      assert.deepEqual(await logs({ fromBlock, toBlock }), tooFar);
    const [code, message] = await logs({ topics: [Array.from({ length: 10_000 }, (_, i) => hash(i))] });
    assert.equal(code, -32_602);
    assert.match(message, /topics must be a list of at most 4, each null, a hash or a list of at most 1000 hashes/);
    assert.equal(node.asked.filter((method) => method === 'eth_getLogs').length, asked);
    assert.equal(await logs({ fromBlock: hex(11_990), toBlock: hex(11_999) }), 0);
    assert.equal(await logs({ fromBlock: hex(11_990) }), 0);
    assert.equal(await logs({ fromBlock: hex(3000), toBlock: 'latest' }), 0);
  });

  it('leaves other callers unaffected while one caller exceeds its limit', async () => {
    const flooding = await newOrganization(service.home, 'flooding');
    const limits = { per_second_limit: 1e6, per_hour_limit: 1e6, per_day_limit: 1e6, per_month_limit: 20 };
    await clientOf(service).admin.setRateLimit({ organization_id: flooding.organizationId, chain: 'C', ...limits });
    const ask = (key: string, i: number) =>
      post(gatewayUrl(service, key), call('eth_getBalance', hash(i).slice(0, 42), hex(i)));
    const balancesAsked = () => node.asked.filter((method) => method === 'eth_getBalance').length;
    const before = balancesAsked();
    let isOver = false as boolean;
    const refused: number[] = [];
    const flood = async (i: number) => {
      for (let n = 0; !isOver; n++) refused.push((await ask(flooding.key, i * 1000 + n)).status);
    };
    const floods = Array.from({ length: 8 }, (_, i) => flood(i));
    const answers = [];
    for (let i = 0; i < 25; i++) answers.push(await ask(keyOf(service), 5000 + i));
    await until('hundreds are refused', () => refused.length > 200).finally(() => (isOver = true));
    await Promise.all(floods);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.ok(refused.filter((status) => status === 429).length >= refused.length - 20);
    // A rejected request must not reach a node; an admitted one may be retried at another node.
    assert.ok(balancesAsked() - before <= 2 * (25 + 20));
  });
});
