import assert from 'node:assert/strict';
import { beginning, type EventStore, noStream } from '../../application/ports/event-store.js';
import { noEntry } from '../../application/ports/state.js';
import type { Collection } from '../../projections/define.js';
import { collect, event, numbers, write } from '../support/engines/counted-events.js';
import { ids, named, useWorkers } from '../support/engines/job-workers.js';
import { eventStoreServers, mongoServer, redisServer } from '../support/engines/namespaced.js';
import { noRedis } from '../support/engines/redis.js';
import { until } from '../support/eventually.js';

type Closable = { close(): Promise<void> };

/** Starts a server for each test. Returns a function that opens three stores on it, the last without a namespace. */
const useServer = <Server extends { end(): Promise<void> }>(start: () => Promise<Server>) => {
  let server: Server;
  const opened: Closable[] = [];
  beforeEach(async () => {
    server = await start();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await server.end();
  });
  return async <Store extends Closable>(open: (server: Server, place: number) => Promise<Store>) => {
    const stores: Store[] = [];
    for (const place of [0, 1, 2]) stores.push(await open(server, place));
    opened.push(...stores);
    return stores as [Store, Store, Store];
  };
};

for (const [adapter, start] of Object.entries(eventStoreServers))
  describe(`namespaces of the event store on ${adapter}`, () => {
    const open = useServer(start);
    const stream = 'org_a.thing-1';
    const openStores = () => open(async ({ events }, place) => events(place));

    it('have their own streams, heads and histories, invisible to the store without a namespace', async () => {
      const stores = await openStores();
      const starts = await Promise.all(stores.map((store) => store.head()));
      for (const [place, store] of stores.entries()) {
        await store.append([write(stream, [event(place)])]);
        await store.append([write('org_a.thing-2', [event(10 + place)]), write('org_b.thing-1', [event(20 + place)])]);
      }
      for (const [place, store] of stores.entries()) {
        const start = starts[place] ?? beginning;
        const own = [place, 10 + place, 20 + place];
        assert.deepEqual(numbers((await store.read(stream)).events), [place]);
        const all = await collect(store.readAll(start));
        assert.deepEqual(numbers(all), own);
        assert.deepEqual([...new Set(all.map((one) => one.stream))], [stream, 'org_a.thing-2', 'org_b.thing-1']);
        assert.equal(await store.head(), all.at(-1)?.position);
        assert.equal(await store.countAfter(start), own.length);
        assert.deepEqual(numbers(await collect(store.readOrganization('org_a', start))), own.slice(0, 2));
        const upTo = { position: all.at(-1)?.position ?? 0 };
        const backwards = await collect(store.readOrganizationBackwards('org_a', upTo));
        assert.deepEqual(numbers(backwards.slice(0, 2)), own.slice(0, 2).toReversed());
      }
    });

    it('can each append to a stream of the same name, and deliver only their own events to a subscription', async () => {
      const stores = await openStores();
      const starts = await Promise.all(stores.map((store) => store.head()));
      const heard = stores.map((store, place) => take(store, starts[place] ?? beginning, 20));
      for (let n = 0; n < 20; n++)
        await Promise.all(
          stores.map((store, place) =>
            store.append([{ stream, expected: n === 0 ? noStream : n - 1, events: [event(100 * place + n)] }]),
          ),
        );
      for (const [place, events] of (await Promise.all(heard)).entries())
        assert.deepEqual(
          events,
          Array.from({ length: 20 }, (_, n) => 100 * place + n),
        );
    });
  });

/** Subscribes to a store from a position, and returns the numbers of its first events. */
const take = async (store: EventStore, from: number, count: number) => {
  const stop = new AbortController();
  const found: number[] = [];
  for await (const batch of store.subscribe(from, stop.signal)) {
    found.push(...numbers(batch));
    if (found.length >= count) break;
  }
  stop.abort();
  return found;
};

type Note = { id: string; at: number };
const notes: Collection<Note> = { name: 'notes', version: 1, indexes: { all: { equal: [], order: 'at' } } };

describe('namespaces of MongoDB', () => {
  const open = useServer(mongoServer);

  it('have their own read models and checkpoint', async () => {
    const stores = await open(async ({ readModels }, place) => readModels([notes], place));
    for (const [place, store] of stores.entries()) {
      const change = { collection: notes, scope: 'one', id: `${place}`, document: { id: `${place}`, at: place } };
      assert.equal(await store.commit([change], await store.checkpoint(), { notes: place + 1 }), true);
    }
    for (const [place, store] of stores.entries()) {
      const { documents } = await store.page(notes, 'one', { index: 'all', equal: [], limit: 10 });
      assert.deepEqual(documents, [{ id: `${place}`, at: place }]);
      assert.deepEqual((await store.checkpoint()).positions, { notes: place + 1 });
    }
  });

  it('have their own state and pending transactions', async () => {
    const states = await open(async ({ state }, place) => state(place));
    const pending = await open(async (server, place) => server.pending(place));
    for (const [place, state] of states.entries()) {
      assert.equal(await state.put('vault', 'key', `${place}`, noEntry), true);
      await pending[place]?.add([{ hash: '0x1', from: '0xa', nonce: 1n, firstSeen: place, fields: {} }]);
    }
    for (const [place, state] of states.entries()) {
      assert.equal((await state.get('vault', 'key'))?.value, `${place}`);
      assert.deepEqual(await state.ids('vault', ''), ['key']);
      assert.deepEqual(
        (await pending[place]?.scan(null))?.map(({ firstSeen }) => firstSeen),
        [place],
      );
    }
  });
});

if (noRedis === null)
  describe('namespaces of Redis', () => {
    const open = useServer(redisServer);
    const { start } = useWorkers();

    it('have their own nonces, limits, idempotency keys and exported records', async () => {
      const limiters = await open(async ({ limiter }, place) => limiter(place));
      const limits = { second: 1e6, hour: 1e6, day: 1e6, month: 1 };
      for (const [place, limiter] of limiters.entries()) {
        const charge = { organizationId: 'org_1', chain: 'X', limits, cost: 1 };
        const { replayed, quota } = await limiter.admit({ apiKey: 'key', nonce: '1', charge });
        assert.deepEqual([replayed, quota?.allowed], [false, true]);
        assert.equal((await limiter.claimIdempotencyKey('key', 'same', `request ${place}`)).kind, 'first');
      }
      for (const [place, limiter] of limiters.entries()) {
        const records = [];
        for await (const some of limiter.exportRecords()) records.push(...some);
        const found = records.map((one) => (one.kind === 'nonce' ? one.nonce : one.request));
        assert.deepEqual(new Set(found), new Set(['1', `request ${place}`]));
      }
    });

    it('have their own jobs and workers', async () => {
      const queues = await open(async ({ jobs }, place) => jobs(place));
      for (const [place, queue] of queues.entries()) await queue.put(named(2, `lane${place}`));
      const workers = queues.map((queue) => start(queue));
      for (const queue of queues) await until('all are done', async () => (await queue.count()) === 0);
      for (const [place, worker] of workers.entries())
        assert.deepEqual(ids(worker.begun()), ids(named(2, `lane${place}`)));
      const identities = await Promise.all(queues.map((queue) => queue.identity()));
      assert.equal(new Set(identities).size, 3);
    });

    it('have their own final answers', async () => {
      const caches = await open(async ({ answers }, place) => answers(place));
      await caches[0].keep('chain', [{ question: 'q', result: Buffer.from('zero') }]);
      assert.deepEqual(await caches[1].find('chain', ['q']), [null]);
      assert.deepEqual(await caches[2].find('chain', ['q']), [null]);
      assert.equal(String((await caches[0].find('chain', ['q']))[0]), 'zero');
    });

    it('announce heads only within themselves', async () => {
      const all = await open(async ({ heads }, place) => heads(place));
      const heard: number[][] = [[], [], []];
      for (const [place, heads] of all.entries())
        await heads.listen('c/mainnet', (height) => heard[place]?.push(height));
      for (const [place, heads] of all.entries()) heads.announce('c/mainnet', 10 + place);
      await until('each has received its own', () => heard.every((heights) => heights.length > 0));
      assert.deepEqual(heard, [[10], [11], [12]]);
    });
  });
