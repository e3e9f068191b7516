import { openDatabase } from '../../infrastructure/sqlite/database.js';
import { importPeer } from '../measure/peers.js';

// Program that copies the first events of our log to emmett's SQLite store and reads them back in batches.
type Message = { readonly metadata: { readonly globalPosition: bigint } };
type Emmett = {
  getSQLiteEventStore(options: object): { appendToStream(stream: string, events: readonly object[]): Promise<unknown> };
  sqliteConnection(options: object): unknown;
  readMessagesBatch(db: unknown, options: object): Promise<{ messages: readonly Message[]; areEventsLeft: boolean }>;
};
export type Replayed = { readonly perSecond: number };

const batchSize = 500;
const [, , fileName = '', log = '', count = ''] = process.argv;
const emmett = (await importPeer('@event-driven-io/emmett-sqlite')) as Emmett;
const store = emmett.getSQLiteEventStore({ fileName, schema: { autoMigration: 'CreateOrUpdate' } });

const source = openDatabase(log, 'relaxed');
const some = source.prepare('SELECT position, type, data FROM events WHERE position > ? ORDER BY position LIMIT ?');
type Row = { readonly position: number; readonly type: string; readonly data: string };
for (let last = 0; last < Number(count); ) {
  const rows = some.all(last, batchSize) as Row[];
  if (rows.length === 0) break;
  const events = rows.map(({ type, data }) => ({ type, data: JSON.parse(data) }));
  await store.appendToStream(`history-${last}`, events);
  last = rows.at(-1)?.position ?? last;
}
source.close();

const db = emmett.sqliteConnection({ fileName });
let read = 0;
const started = performance.now();
for (let after = 0n; ; ) {
  const { messages } = await emmett.readMessagesBatch(db, { after, batchSize });
  read += messages.length;
  const last = messages.at(-1);
  if (!last) break;
  after = last.metadata.globalPosition;
}
process.send?.({ perSecond: (read * 1000) / (performance.now() - started) } satisfies Replayed);
process.on('disconnect', () => process.exit());
