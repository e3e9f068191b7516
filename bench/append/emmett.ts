import { importPeer } from '../peers.js';

/** emmett's SQLite store, as its documentation has it used. */
type Store = { appendToStream(stream: string, events: readonly object[]): Promise<unknown> };
type Emmett = { getSQLiteEventStore(options: object): Store };
export type Asked = { readonly count: number; readonly atOnce: number; readonly data: object };

const [, , fileName = ''] = process.argv;
const { getSQLiteEventStore } = (await importPeer('@event-driven-io/emmett-sqlite')) as Emmett;
const store = getSQLiteEventStore({ fileName, schema: { autoMigration: 'CreateOrUpdate' } });

/** So many events a second, so many at a time, each append to a stream of its own. */
const run = async ({ count, atOnce, data }: Asked) => {
  const started = performance.now();
  for (let done = 0; done < count; done += atOnce) {
    const events = Array.from({ length: atOnce }, () => ({ type: 'WalletRegistered', data }));
    await store.appendToStream(`wallet-${process.hrtime.bigint()}`, events);
  }
  return (count * 1000) / (performance.now() - started);
};
process.on('disconnect', () => process.exit());
process.on('message', (asked: Asked) => void run(asked).then((rate) => process.send?.(rate)));
process.send?.('ready');
