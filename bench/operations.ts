import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { embedded } from '../tests/support/engines/engines.js';
import { clientOf, demoOf, startService } from '../tests/support/service/service.js';
import { type Bench, type Figure, median } from './measure/figures.js';
import { hasPeer, startProgram } from './measure/peers.js';
import { inTurn } from './measure/rounds.js';
import { load, type Operation } from './operations/load.js';

const connections = 64;
const requests = { many: 6000, one: 400 };
const slackUs = 70;
const peer = new URL('./operations/peer.ts', import.meta.url);

/** Measures how many microseconds the disk takes to sync a page. */
const fdatasyncUs = (directory: string) => {
  const file = openSync(join(directory, 'sync'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, () => {
    writeSync(file, page);
    const started = performance.now();
    fdatasyncSync(file);
    return (performance.now() - started) * 1000;
  });
  closeSync(file);
  return median(times);
};

const open = async () => {
  const service = await startService({ on: embedded });
  const credentials = demoOf(service.home);
  const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'measured' });
  const bare = await startProgram<string>(peer, ['bare', credentials.secret]);
  const fastify = hasPeer('fastify') ? await startProgram<string>(peer, ['fastify', credentials.secret]) : null;
  const at = (url: string, name: string, body: Operation['body']): Operation => ({
    url,
    path: `/v1/c/${name}`,
    credentials,
    body,
  });
  const register = (url: string) => at(url, 'RegisterWallet', (i) => `{"name":"wallet ${i}"}`);
  const get = (url: string) => at(url, 'GetWallet', () => `{"wallet_id":"${wallet_id}"}`);
  const close = async () => {
    bare.close();
    fastify?.close();
    await service.stop();
  };
  return { service, bare: bare.firstMessage, fastify: fastify?.firstMessage ?? null, register, get, close };
};

type Sides = Awaited<ReturnType<typeof open>>;

const manyAtOnce = async function* ({ service, bare, fastify, register, get }: Sides): AsyncIterable<Figure> {
  const rate = (operation: Operation) => async () => (await load(operation, requests.many, connections)).rate;
  const found = await inTurn({
    bare: rate(register(bare)),
    register: rate(register(service.url)),
    get: rate(get(service.url)),
    fastify: fastify === null ? null : rate(get(fastify)),
  });
  const ceiling = { what: 'bare node:http, Ajv and HMAC', ...found.bare };
  const { value: registered, spread } = found.register;
  yield {
    what: 'RegisterWallet, 64 connections',
    measured: registered,
    unit: '/s',
    spread,
    ceiling,
    atLeast: 0.5,
  };
  const read = { what: 'GetWallet, 64 connections', measured: found.get.value, unit: '/s', spread: found.get.spread };
  yield { ...read, ceiling, atLeast: 0.75 };
  if (fastify !== null) yield { ...read, ceiling: { what: 'fastify, the same', ...found.fastify }, atLeast: 1 };
};

const oneAtATime = async function* ({ service, bare, register, get }: Sides): AsyncIterable<Figure> {
  const middle = (operation: Operation) => async () => median((await load(operation, requests.one, 1)).times) * 1000;
  const found = await inTurn({
    bare: middle(register(bare)),
    register: middle(register(service.url)),
    get: middle(get(service.url)),
  });
  const syncUs = fdatasyncUs(service.home.directory);
  const least = found.bare.value + 2 * syncUs + slackUs;
  yield {
    what: 'RegisterWallet, one connection, p50',
    measured: found.register.value,
    unit: 'µs',
    spread: found.register.spread,
    ceiling: { what: `bare ${Math.round(found.bare.value)} + 2 fdatasync ${Math.round(syncUs)} + 70 =`, value: least },
    atMost: 1,
  };
  yield { what: 'GetWallet, one connection, p50', measured: found.get.value, unit: 'µs', spread: found.get.spread };
};

/** Measures reads, and commands, which are signed, validated and stored durably. */
export const operations: Bench = async function* () {
  const sides = await open();
  yield* manyAtOnce(sides);
  yield* oneAtATime(sides);
  await sides.close();
};
