import { readFileSync } from 'node:fs';
import { embedded } from '../tests/support/engines.js';
import { gatewayUrl, post, socketUrl } from '../tests/support/gateway.js';
import { type Service, startService } from '../tests/support/service.js';
import { type Bench, type Figure, megabytes } from './figures.js';
import { requestsPerSecond } from './gateway/http-load.js';
import { hasNginx, startNginx } from './gateway/nginx.js';
import { startPeer } from './gateway/peers.js';
import { type Crowd, gather, messagesPerSecond } from './gateway/socket-load.js';
import { hasPeer } from './peers.js';
import { inTurn } from './rounds.js';
import { until } from './until.js';

/** Of each round. */
const requests = { few: 3000, many: 6000 };
const rounds = 3;

const call = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}]}`;
const account = (i: number) => `"0x${i.toString(16).padStart(40, '0')}"`;
const asking = {
  small: (i: number) => call('eth_getBalance', `${account(i)},"latest"`),
  large: (i: number) => call('eth_getCode', `${account(i)},"latest"`),
  same: () => call('eth_getBlockByHash', `"0x${'3'.repeat(64)}",false`),
};

/** The gateway alone: what other roles do beside it is not its cost. */
const startGateway = async (urls: string): Promise<Service> => {
  const whole = await startService({ on: embedded });
  await whole.stop();
  return startService({ on: whole.home, role: 'api', env: { GATEWAY_C_MAINNET_URLS: urls } });
};

/** What others have made; null where it is not installed. */
const startOthers = async (node: string) => ({
  library: hasPeer('http-proxy') ? await startPeer('http-proxy', node) : null,
  keeping: hasPeer('http-proxy') ? await startPeer('http-proxy with keep-alive', node) : null,
  nginx: hasNginx() ? await startNginx(node) : null,
});

const httpFigures = async function* (): AsyncIterable<Figure> {
  const node = await startPeer('node');
  const [proxy, bare] = await Promise.all([startPeer('proxy', node.url), startPeer('bare')]);
  const { library, keeping, nginx } = await startOthers(node.url);
  const service = await startGateway(node.url);
  const gateway = gatewayUrl(service);
  const rows = [
    ['answers of 500 bytes', asking.small, 'node:http and undici', proxy, 0.8, requests.many],
    ['answers of 500 bytes', asking.small, 'http-proxy as it comes', library, 1.35, requests.few],
    ['answers of 500 bytes', asking.small, 'http-proxy with a keep-alive agent', keeping, undefined, requests.many],
    ['answers of 500 bytes', asking.small, 'nginx', nginx, undefined, requests.many],
    ['answers of 100 KB', asking.large, 'node:http and undici', proxy, 0.9, requests.few],
    ['answers from the cache', asking.same, 'bare node:http', bare, 0.8, requests.many],
  ] as const;
  for (const [what, body, name, peer, atLeast, count] of rows) {
    if (!peer) continue;
    await post(gateway, body(0));
    const found = await inTurn(
      {
        peer: () => requestsPerSecond({ ...peer, body }, count),
        ours: () => requestsPerSecond({ url: gateway, pid: service.process.pid, body }, count),
      },
      rounds,
    );
    const { value: measured, spread } = found.ours;
    yield {
      what: `gateway, ${what}, 32 connections`,
      measured,
      unit: '/s',
      spread,
      ceiling: { what: name, ...found.peer },
      ...(atLeast !== undefined && { atLeast }),
    };
  }
  await service.stop();
  for (const one of [node, proxy, library, keeping, nginx, bare]) one?.close();
};

const subscribing = call('eth_subscribe', '"newHeads"');

/** How long a notification is on the wire: what one more block brings one more client. */
const lengthOfOne = async (crowd: Crowd, go: () => void) => {
  const before = crowd.received();
  go();
  await until(() => crowd.received() > before);
  let last = 0;
  while (crowd.received() !== last) {
    last = crowd.received();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return (last - before) / crowd.sockets.length;
};

const fanOutFigures = async function* (clients: number, blocks: number): AsyncIterable<Figure> {
  const chain = await startPeer('chain');
  const service = await startGateway(chain.url);
  const peer = await startPeer('broadcast');
  const subscribers = await gather(socketUrl(service), clients, subscribing);
  const listeners = await gather(peer.url.replace('http', 'ws'), clients, null);
  const bytes = await lengthOfOne(subscribers, () => chain.tell({ count: 1, bytes: 0 }));
  // One of them does not read.
  subscribers.sockets[0]?.pause();
  const messages = (clients - 1) * blocks;
  const found = await inTurn(
    {
      peer: () =>
        messagesPerSecond(listeners, messages, bytes, peer.pid, () => peer.tell({ count: blocks, bytes: bytes - 4 })),
      ours: () =>
        messagesPerSecond(subscribers, messages, bytes, service.process.pid, () =>
          chain.tell({ count: blocks, bytes: 0 }),
        ),
    },
    rounds,
  );
  const { value: measured, spread } = found.ours;
  const ceiling = { what: 'one prepared buffer through ws', ...found.peer };
  const what = `newHeads of ${Math.round(bytes)} bytes to ${clients} subscribers, one of them slow`;
  yield { what, measured, unit: '/s', spread, ceiling, atLeast: 0.8 };
  subscribers.close();
  listeners.close();
  await service.stop();
  peer.close();
  chain.close();
};

const residentBytes = ({ process: { pid } }: Service) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

const stalledFigures = async function* (): AsyncIterable<Figure> {
  const [stalled, waiting] = [100, 9900];
  const chain = await startPeer('chain');
  const service = await startGateway(chain.url);
  const one = await gather(socketUrl(service), 1, subscribing);
  const bytes = await lengthOfOne(one, () => chain.tell({ count: 1, bytes: 0 }));
  const crowd = await gather(socketUrl(service), stalled, subscribing);
  await messagesPerSecond(one, waiting, bytes, service.process.pid, () => chain.tell({ count: waiting, bytes: 0 }));
  for (const socket of crowd.sockets) socket.pause();
  const before = residentBytes(service);
  await messagesPerSecond(one, waiting, bytes, service.process.pid, () => chain.tell({ count: waiting, bytes: 0 }));
  const measured = megabytes(residentBytes(service) - before) / stalled;
  yield {
    what: `a subscriber that does not read, at ${waiting} notifications, of ${stalled}`,
    measured,
    unit: 'MB',
    atMost: 1.2,
  };
  one.close();
  crowd.close();
  await service.stop();
  chain.close();
};

/** The gateway: what it adds to a call, what it saves, and how many it can tell of a block. */
export const gateway: Bench = async function* () {
  yield* httpFigures();
  yield* fanOutFigures(1000, 50);
  yield* fanOutFigures(5000, 10);
  yield* stalledFigures();
};
