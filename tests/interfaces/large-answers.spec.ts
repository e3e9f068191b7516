import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '../../application/app.js';
import { scopeFor } from '../../application/commands/handle.js';
import type { ReadModels } from '../../application/ports/read-models.js';
import { createOperations, type inFlight } from '../../interfaces/http/operations.js';
import { endpoints } from '../../interfaces/operations/index.js';
import { addresses } from '../../projections/addresses.js';
import { wallets } from '../../projections/wallets.js';
import { until } from '../support/eventually.js';
import { composeApp, contextOf, openStores, variantOf } from '../support/following/following.js';
import { testSystem } from '../support/silent.js';

const pageSize = 1000;
const large = 100_000;
const small = 3;

type Reading = { readonly scope: string; readonly limit: number };
/** Read models with wallets of any size that use no memory: every address is generated when it is read. */
const madeReadModels = (readModels: ReadModels, readings: Reading[], beforeReading: () => Promise<void>) => {
  const sizeOf = (walletId: string | undefined) => Number(walletId?.slice('wal_'.length));
  const made = (n: number, walletId: string) => ({
    address: `0:${n.toString(16).padStart(64, '0')}`,
    wallet_id: walletId,
    position: n + 1,
  });
  const get: ReadModels['get'] = async (collection, key) => {
    if (collection.name !== wallets.name) return readModels.get(collection, key);
    const [name, time] = [key.id, '2026-01-01T00:00:00.000Z'];
    const document = { wallet_id: key.id, name, create_time: time, update_time: time, position: 1 };
    return { ...document, address_count: sizeOf(key.id) } as never;
  };
  const page: ReadModels['page'] = async (collection, scope, query) => {
    if (collection.name !== addresses.name) return readModels.page(collection, scope, query);
    readings.push({ scope, limit: query.limit });
    await beforeReading();
    const [walletId = ''] = query.equal;
    const from = Number(query.after?.[0] ?? 0);
    const documents = [];
    for (let n = from; n < Math.min(from + query.limit, sizeOf(walletId)); n++) documents.push(made(n, walletId));
    const last = documents.at(-1);
    const next = last && last.position < sizeOf(walletId) ? ([last.position, last.address] as const) : null;
    return { documents: documents as never, next };
  };
  return { ...readModels, get, page };
};

describe('a large answer', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let server: Server;
  const readings: Reading[] = [];
  let beforeReading: () => Promise<void> = async () => undefined;
  const variant = variantOf('t');
  const scopeOf = (organizationId: string) => scopeFor(contextOf(organizationId, variant));
  const readBy = (organizationId: string) => readings.filter(({ scope }) => scope === scopeOf(organizationId)).length;

  const listen = async (bounds?: typeof inFlight) => {
    const app: App = composeApp({
      ...stores,
      readModels: { ...stores.readModels, ...madeReadModels(stores.readModels, readings, () => beforeReading()) },
    });
    const access: App['access'] = {
      ...app.access,
      admit: async ({ key = '' }) => ({ caller: { organizationId: key, apiKey: key, role: 'client' }, quota: null }),
    };
    const around = { observe: () => undefined, onStoreDown: () => undefined, unready: () => null };
    const handle = createOperations({ ...app, access }, endpoints, around, bounds);
    server = createServer((incoming, response) => void handle(incoming, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };
  const ask = (organizationId: string, size: number) => {
    const { port } = server.address() as AddressInfo;
    const headers = { 'x-api-key': organizationId, 'content-type': 'application/json' };
    const asked = request({ port, method: 'POST', path: '/v1/t/GetWallet', headers, agent: false });
    asked.on('error', () => undefined);
    asked.end(JSON.stringify({ wallet_id: `wal_${size}` }));
    return asked;
  };
  const answerOf = async (asked: ReturnType<typeof ask>) => (await once(asked, 'response'))[0] as IncomingMessage;
  const textOf = async (answer: IncomingMessage) => {
    let text = '';
    for await (const chunk of answer.setEncoding('utf8')) text += chunk;
    return text;
  };
  /** Waits until no page is read during many turns of the event loop. */
  const quiet = async () => {
    for (let [turns, seen] = [0, -1]; turns < 500; turns = readings.length === seen ? turns + 1 : 0) {
      seen = readings.length;
      await testSystem.breathe();
    }
  };

  beforeEach(async () => {
    readings.length = 0;
    beforeReading = async () => undefined;
    stores = await openStores();
    await listen();
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await quiet();
    await stores.close();
  });

  it('is read only as far as its caller consumes it, and is complete when the caller has consumed all of it', async () => {
    const answer = await answerOf(ask('org_a', large));
    answer.pause();
    await quiet();
    // Addresses and their mapping are one list each, so a complete answer has twice as many pages.
    assert.ok(readBy('org_a') < large / pageSize, `${readBy('org_a')} pages were read for a caller that reads none`);
    const { wallet } = JSON.parse(await textOf(answer));
    assert.equal(wallet.addresses.length, large);
    assert.equal(new Set(wallet.addresses).size, large);
    assert.equal(wallet.address_mapping.length, large);
    assert.equal(wallet.address_mapping[large - 1].address, wallet.addresses[large - 1]);
    assert.equal(wallet.name, `wal_${large}`);
    assert.equal('address_count' in wallet, false);
  });

  it('has a content-length when it is small, and none when it is streamed', async () => {
    const [whole, streamed] = [await answerOf(ask('org_a', small)), await answerOf(ask('org_a', 2 * pageSize))];
    assert.equal(whole.headers['content-length'], String(Buffer.byteLength(await textOf(whole))));
    assert.equal(streamed.headers['content-length'], undefined);
    assert.equal(JSON.parse(await textOf(streamed)).wallet.addresses.length, 2 * pageSize);
  });

  it('is not read for callers that have disconnected', async () => {
    const asked = Array.from({ length: 100 }, () => ask('org_a', large));
    await Promise.all(asked.map((one) => once(one, 'finish')));
    for (const one of asked) one.destroy();
    await quiet();
    // Four answers are written at once, and each is a few pages ahead when the disconnect of its caller is noticed.
    assert.ok(readBy('org_a') < 2 * asked.length, `${readBy('org_a')} pages were read for nobody`);
  });

  it('makes another organization wait for only a few of its parts', async () => {
    const greedy = Array.from({ length: 50 }, () => ask('org_a', large));
    for (const one of greedy) one.once('response', (answer) => answer.resume());
    await until('the greedy one is being read', () => readBy('org_a') >= 20);
    let before = 0;
    beforeReading = async () => {
      if (readBy('org_b') === 1 && before === 0) before = readBy('org_a');
    };
    assert.equal(JSON.parse(await textOf(await answerOf(ask('org_b', small)))).wallet.addresses.length, small);
    const waited = readBy('org_a') - before;
    assert.ok(waited <= 20, `${waited} parts of another organization were read before a small answer arrived`);
    for (const one of greedy) one.destroy();
  });

  it('ends the connection when a part can no longer be read', async () => {
    beforeReading = async () => {
      if (readings.length === 3) throw new Error('the read models are gone');
    };
    const answer = await answerOf(ask('org_a', large));
    assert.equal(answer.statusCode, 200);
    await assert.rejects(textOf(answer), /aborted|ECONNRESET/);
  });

  it('is rejected with a retry-after when too many requests of the organization are waiting', async () => {
    server.close();
    await listen({ maxConcurrentPerKey: 2, maxWaiting: 3 });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    beforeReading = () => (readBy('org_b') === 0 ? released : Promise.resolve());
    const answers = Promise.all(Array.from({ length: 9 }, () => answerOf(ask('org_a', small))));
    await until('two of its answers are being read', () => readBy('org_a') >= 2);
    assert.equal((await answerOf(ask('org_b', small))).statusCode, 200);
    release();
    const found = await answers;
    const busy = found.filter(({ statusCode }) => statusCode === 429);
    assert.ok(busy.length > 0 && found.length - busy.length >= 5, `${busy.length} were refused`);
    for (const one of busy) assert.equal(one.headers['retry-after'], '1');
  });
});
