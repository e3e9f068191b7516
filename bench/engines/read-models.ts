import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { type Document, MongoClient } from 'mongodb';
import { noStream } from '../../application/ports/event-store.js';
import { createRebuild } from '../../application/projecting/rebuild.js';
import { eventStoreDb } from '../../infrastructure/eventstoredb/event-store.js';
import { mongoReadModels } from '../../infrastructure/mongodb/read-models.js';
import { projections } from '../../projections/index.js';
import { wallets } from '../../projections/wallets.js';
import { testSystem } from '../../tests/support/silent.js';
import { serveSides } from '../measure/compiled.js';
import { perSecond } from '../measure/rounds.js';
import { generateEvents } from '../rebuild/history.js';

const pages = 100;
const pageSize = 100;
const documents = 2000;
const writtenAtOnce = 1000;
const eventsOfStream = 100;
const scope = 'org_measured/C';

const [, , mongoUrl = '', eventStoreUrl = '', count = ''] = process.argv;
const openEvents = async () => eventStoreDb(eventStoreUrl, ['round']);
const readModels = await mongoReadModels(mongoUrl, projections);
const client = await new MongoClient(mongoUrl).connect();
const db = client.db();

/** Stores the wallets of one owner. The measured page contains the newest of these wallets. */
const writeWallets = async () => {
  const changes = Array.from({ length: documents }, (_, position) => {
    const id = `wal_${String(position).padStart(32, '0')}`;
    const document = { wallet_id: id, name: 'measured', address_count: 0, create_time: '', update_time: '', position };
    return { collection: wallets, scope, id, document };
  });
  await readModels.commit(changes, await readModels.checkpoint(), {});
};
const inPages = (page: () => Promise<unknown>) => () =>
  perSecond(pages, async () => {
    for (let n = 0; n < pages; n++) await page();
  });
/** Name of the first generation of the wallet collection, as the adapter stores it. */
const walletsStored = `${wallets.name}_1`;
const barePage = () =>
  db
    .collection(walletsStored)
    .find({ scope })
    .sort({ 'document.position': -1, id: -1 })
    .limit(pageSize + 1)
    .toArray();

/** Appends the history of a busy organization, so that the log has at least `count` events. */
const writeHistory = async () => {
  const store = await openEvents();
  const run = `org_${randomUUID().replaceAll('-', '')}`;
  const events = [...generateEvents(Number(count))].map(({ type, data, metadata }) => ({
    id: randomUUID(),
    type,
    data: JSON.parse(data) as object,
    metadata: JSON.parse(metadata) as never,
  }));
  for (let from = 0; from < events.length; from += eventsOfStream) {
    const some = events.slice(from, from + eventsOfStream);
    await store.append([{ stream: `${run}.round-${from}`, expected: noStream, events: some, divisible: true }]);
  }
  await store.close();
};

/** Rebuilds all projections from the log. Returns the events per second. */
const rebuild = async () => {
  const store = await openEvents();
  const { run } = createRebuild({ events: store, readModels, system: testSystem, projections });
  const started = performance.now();
  const { events } = await run(projections, { signal: new AbortController().signal, report: () => undefined });
  const rate = (events * 1000) / (performance.now() - started);
  await store.close();
  return rate;
};

/** Reads the documents that the last rebuild wrote: the live generation of every collection. */
const documentsOfRebuild = async (): Promise<readonly (readonly Document[])[]> => {
  const checkpoint = await db.collection<{ _id: string; live: Document }>('checkpoints').findOne({ _id: 'projector' });
  return Promise.all(
    Object.entries(checkpoint?.live ?? {}).map(([name, { number }]) =>
      db.collection(`${name}_${number}`).find().toArray(),
    ),
  );
};

/** Reads the log with the bare client and inserts the documents of the rebuild with the bare driver. */
const readAndWrite = async () => {
  const bare = EventStoreDBClient.connectionString(eventStoreUrl);
  const collections = await documentsOfRebuild();
  await db.collection('copied').deleteMany({});
  let events = 0;
  const started = performance.now();
  for await (const { event } of bare.readAll()) if (event && !event.type.startsWith('$')) events++;
  for (const [index, found] of collections.entries())
    for (let from = 0; from < found.length; from += writtenAtOnce) {
      const some = found.slice(from, from + writtenAtOnce).map((one) => ({ ...one, _id: `${index} ${one._id}` }));
      await db.collection<Document & { _id: string }>('copied').insertMany(some, { ordered: false });
    }
  const rate = (events * 1000) / (performance.now() - started);
  await bare.dispose();
  return rate;
};

await writeWallets();
if (eventStoreUrl) await writeHistory();

serveSides({
  page: inPages(() => readModels.page(wallets, scope, { index: 'all', equal: [], limit: pageSize })),
  barePage: inPages(barePage),
  rebuild,
  readAndWrite,
  end: async () => {
    await db.dropDatabase();
    return 0;
  },
});
