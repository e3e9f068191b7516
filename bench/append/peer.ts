import { promisify } from 'node:util';
import { importPeer } from '../measure/peers.js';

/** Request to append `count` events, `atOnce` per append, each append to a new stream. */
export type AppendRequest = { readonly count: number; readonly atOnce: number; readonly data: object };
type Append = (stream: string, events: readonly { readonly type: string; readonly data: object }[]) => Promise<unknown>;

type Emmett = { getSQLiteEventStore(options: object): { appendToStream: Append } };
type Castore = {
  readonly EventType: new (options: object) => object;
  readonly EventStore: new (options: object) => { pushEvent(event: object): Promise<unknown> };
};
type CastoreInMemory = { readonly InMemoryEventStorageAdapter: new () => object };
type Callback = (error: Error | null) => void;
type Stream = { addEvents(events: readonly object[]): void; commit(done: Callback): void };
type EventStore = {
  init(done: Callback): void;
  getEventStream(id: string, done: (error: Error | null, stream: Stream) => void): void;
};

/** Third-party event stores, used as documented. Castore and eventstore run in memory and never write to disk. */
const peers: Readonly<Record<string, (file: string) => Promise<Append>>> = {
  emmett: async (fileName) => {
    const { getSQLiteEventStore } = (await importPeer('@event-driven-io/emmett-sqlite')) as Emmett;
    const store = getSQLiteEventStore({ fileName, schema: { autoMigration: 'CreateOrUpdate' } });
    return (stream, events) => store.appendToStream(stream, events);
  },
  castore: async () => {
    const { EventStore, EventType } = (await importPeer('@castore/core')) as Castore;
    const adapter = (await importPeer('@castore/event-storage-adapter-in-memory')) as CastoreInMemory;
    const store = new EventStore({
      eventStoreId: 'wallets',
      eventTypes: [new EventType({ type: 'WalletRegistered' })],
      reducer: (past: object, event: object) => ({ ...past, ...event }),
      eventStorageAdapter: new adapter.InMemoryEventStorageAdapter(),
    });
    return async (aggregateId, events) => {
      for (const [i, { type, data: payload }] of events.entries())
        await store.pushEvent({ aggregateId, version: i + 1, type, payload });
    };
  },
  eventstore: async () => {
    const { default: create } = (await importPeer('eventstore')) as { default(options: object): EventStore };
    const store = create({ type: 'inmemory' });
    await promisify(store.init.bind(store))();
    const open = promisify(store.getEventStream.bind(store));
    return async (id, events) => {
      const stream = await open(id);
      stream.addEvents(events);
      await promisify(stream.commit.bind(stream))();
    };
  },
};

const [, , name = '', file = ''] = process.argv;
const append = await peers[name]?.(file);

const run = async ({ count, atOnce, data }: AppendRequest) => {
  const started = performance.now();
  for (let done = 0; done < count; done += atOnce) {
    const events = Array.from({ length: atOnce }, () => ({ type: 'WalletRegistered', data }));
    await append?.(`wallet-${process.hrtime.bigint()}`, events);
  }
  return (count * 1000) / (performance.now() - started);
};
process.on('disconnect', () => process.exit());
/** Retries a failed run, because emmett's store occasionally reports that it is busy. */
const runWithRetry = async (request: AppendRequest, tries = 5): Promise<number> => {
  try {
    return await run(request);
  } catch (error) {
    if (tries === 1) throw error;
    return runWithRetry(request, tries - 1);
  }
};
process.on('message', (request: AppendRequest) => void runWithRetry(request).then((rate) => process.send?.(rate)));
process.send?.('ready');
