import { readFileSync } from 'node:fs';
import { embedded } from '../tests/support/engines/engines.js';
import { gatewayUrl, post, socketUrl } from '../tests/support/gateway/gateway.js';
import { type Service, startService } from '../tests/support/service/service.js';
import { requestsPerSecond } from './gateway/http-load.js';
import { hasNginx, startNginx } from './gateway/nginx.js';
import { startPeer } from './gateway/peers.js';
import { type Crowd, gather, messagesPerSecond } from './gateway/socket-load.js';
import { type Bench, type Figure, megabytes } from './measure/figures.js';
import { hasPeer } from './measure/peers.js';
import { inTurn, summarize } from './measure/rounds.js';
import { until } from './measure/until.js';

/** Number of requests per round, by the size of a measurement. */
const requests = { few: 3000, many: 6000, most: 20_000 };
const rounds = 2;
/**
 * Number of times that each program is started. The memory layout makes one process up to 25 % faster or slower than
 * another.
 */
const generations = 5;

type Rates = { readonly peer: number[]; readonly ours: number[] };
/** Creates a function that returns the rates collected for a row of the report, given the row's name. */
const createRates = () => {
  const found = new Map<string, Rates>();
  return (name: string): Rates => {
    const rates = found.get(name) ?? { peer: [], ours: [] };
    found.set(name, rates);
    return rates;
  };
};
const ratio = ({ peer, ours }: Rates, what: string, ceiling: string, atLeast?: number): Figure => {
  const { value: measured, spread } = summarize(ours);
  return {
    what,
    measured,
    unit: '/s',
    spread,
    ceiling: { what: ceiling, ...summarize(peer) },
    ...(atLeast !== undefined && { atLeast }),
  };
};

const call = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}]}`;
const account = (i: number) => `"0x${i.toString(16).padStart(40, '0')}"`;
const asking = {
  small: (i: number) => call('eth_getBalance', `${account(i)},"latest"`),
  large: (i: number) => call('eth_getCode', `${account(i)},"latest"`),
  same: () => call('eth_getBlockByHash', `"0x${'3'.repeat(64)}",false`),
};

const makeHome = async () => {
  const whole = await startService({ on: embedded });
  await whole.stop();
  return whole.home;
};
/** Starts only the role `api`, so that the work of other roles is not measured. */
const startGateway = async (urls: string, on = makeHome()): Promise<Service> =>
  startService({ on: await on, role: 'api', env: { GATEWAY_C_MAINNET_URLS: urls } });

/** Starts third-party proxies; null for one that is not installed. */
const startOthers = async (node: string) => ({
  library: hasPeer('http-proxy') ? await startPeer('http-proxy', node) : null,
  keeping: hasPeer('http-proxy') ? await startPeer('http-proxy with keep-alive', node) : null,
  nginx: hasNginx() ? await startNginx(node) : null,
});

type Peer = { readonly url: string; readonly pid: number | undefined; close(): unknown };
type Peers = Readonly<Record<'proxy' | 'bare' | 'library' | 'keeping' | 'nginx', Peer | null>>;

const rows: readonly {
  readonly what: string;
  readonly body: (i: number) => string;
  readonly ceiling: string;
  readonly peer: keyof Peers;
  readonly count: number;
  readonly atLeast?: number;
}[] = [
  {
    what: 'answers of 500 bytes',
    body: asking.small,
    ceiling: 'node:http and undici',
    peer: 'proxy',
    count: requests.many,
    atLeast: 0.8,
  },
  {
    what: 'answers of 500 bytes',
    body: asking.small,
    ceiling: 'http-proxy as it comes',
    peer: 'library',
    count: requests.few,
    atLeast: 1.35,
  },
  {
    what: 'answers of 500 bytes',
    body: asking.small,
    ceiling: 'http-proxy with a keep-alive agent',
    peer: 'keeping',
    count: requests.many,
  },
  { what: 'answers of 500 bytes', body: asking.small, ceiling: 'nginx', peer: 'nginx', count: requests.many },
  {
    what: 'answers of 100 KB',
    body: asking.large,
    ceiling: 'node:http and undici',
    peer: 'proxy',
    count: requests.few,
    atLeast: 0.9,
  },
  {
    what: 'answers from the cache',
    body: asking.same,
    ceiling: 'bare node:http',
    peer: 'bare',
    count: requests.most,
    atLeast: 0.8,
  },
];

const measureHttp = async (ratesOf: ReturnType<typeof createRates>) => {
  const node = await startPeer('node');
  const [proxy, bare] = await Promise.all([startPeer('proxy', node.url), startPeer('bare')]);
  const peers: Peers = { proxy, bare, ...(await startOthers(node.url)) };
  const home = makeHome();
  for (const { what, body, ceiling, peer: name, count } of rows) {
    const peer = peers[name];
    if (!peer) continue;
    // Each row gets a gateway of its own, which then serves only one kind of response, like the bare server.
    const service = await startGateway(node.url, home);
    const gateway = gatewayUrl(service);
    await post(gateway, body(0));
    const found = await inTurn(
      {
        peer: () => requestsPerSecond({ ...peer, body }, count),
        ours: () => requestsPerSecond({ url: gateway, pid: service.process.pid, body }, count),
      },
      rounds,
    );
    const { peer: theirs, ours } = ratesOf(`${what} ${ceiling}`);
    theirs.push(found.peer.value);
    ours.push(found.ours.value);
    await service.stop();
  }
  for (const one of [node, ...Object.values(peers)]) one?.close();
};

const httpFigures = async function* (): AsyncIterable<Figure> {
  const ratesOf = createRates();
  for (let i = 0; i < generations; i++) await measureHttp(ratesOf);
  for (const { what, ceiling, atLeast } of rows) {
    const rates = ratesOf(`${what} ${ceiling}`);
    if (rates.ours.length > 0) yield ratio(rates, `gateway, ${what}, 32 connections`, ceiling, atLeast);
  }
};

const subscribing = call('eth_subscribe', '"newHeads"');

/** Measures the bytes of a notification on the wire: the bytes that each client receives for one more block. */
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

/** Measures the rate of notifications to `clients` subscribers. Returns the bytes of a notification. */
const measureFanOut = async (clients: number, blocks: number, { peer: theirs, ours }: Rates) => {
  const chain = await startPeer('chain');
  const service = await startGateway(chain.url);
  const peer = await startPeer('broadcast');
  const subscribers = await gather(socketUrl(service), clients, subscribing);
  const listeners = await gather(peer.url.replace('http', 'ws'), clients, null);
  const bytes = await lengthOfOne(subscribers, () => chain.send({ count: 1, bytes: 0 }));
  // One of the subscribers is slow: it does not read.
  subscribers.sockets[0]?.pause();
  const messages = (clients - 1) * blocks;
  const found = await inTurn(
    {
      peer: () =>
        messagesPerSecond(listeners, messages, bytes, peer.pid, () => peer.send({ count: blocks, bytes: bytes - 4 })),
      ours: () =>
        messagesPerSecond(subscribers, messages, bytes, service.process.pid, () =>
          chain.send({ count: blocks, bytes: 0 }),
        ),
    },
    rounds,
  );
  theirs.push(found.peer.value);
  ours.push(found.ours.value);
  subscribers.close();
  listeners.close();
  await service.stop();
  peer.close();
  chain.close();
  return bytes;
};

const fanOutFigures = async function* (clients: number, blocks: number): AsyncIterable<Figure> {
  const rates: Rates = { peer: [], ours: [] };
  let bytes = 0;
  for (let i = 0; i < generations; i++) bytes = await measureFanOut(clients, blocks, rates);
  const what = `newHeads of ${Math.round(bytes)} bytes to ${clients} subscribers, one of them slow`;
  yield ratio(rates, what, 'one prepared buffer through ws', 0.8);
};

const residentBytes = ({ process: { pid } }: Service) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

const stalledFigures = async function* (): AsyncIterable<Figure> {
  const [stalled, waiting] = [100, 9900];
  const chain = await startPeer('chain');
  const service = await startGateway(chain.url);
  const one = await gather(socketUrl(service), 1, subscribing);
  const bytes = await lengthOfOne(one, () => chain.send({ count: 1, bytes: 0 }));
  const crowd = await gather(socketUrl(service), stalled, subscribing);
  await messagesPerSecond(one, waiting, bytes, service.process.pid, () => chain.send({ count: waiting, bytes: 0 }));
  for (const socket of crowd.sockets) socket.pause();
  const before = residentBytes(service);
  await messagesPerSecond(one, waiting, bytes, service.process.pid, () => chain.send({ count: waiting, bytes: 0 }));
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

/** Measures the gateway: cost of a call, effect of the cache, rate of notifications. */
export const gateway: Bench = async function* () {
  yield* httpFigures();
  yield* fanOutFigures(1000, 50);
  yield* fanOutFigures(5000, 10);
  yield* stalledFigures();
};
