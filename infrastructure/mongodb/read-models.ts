import type { AnyBulkWriteOperation, ClientSession, Collection, Db, Filter, WithId } from 'mongodb';
import { maxHoldMs, type RebuildableReadModels } from '../../application/ports/generations.js';
import type { Change, DocumentKey, PageKey, ReadModels } from '../../application/ports/read-models.js';
import { Failure } from '../../domain/failure.js';
import type { AnyCollection } from '../../projections/define.js';
import { type Deadlines, defaultDeadlines } from '../deadlines.js';
import { commitTimeoutMs, connectMongo, type InTime } from './connection.js';
import { mongoGenerations } from './generations.js';
import { ensureIndexes, fieldOf } from './indexes.js';
import {
  checkpointId,
  collectionName,
  createLiveGenerations,
  currentCollections,
  indexesOf,
  type StoredCheckpoint,
} from './live.js';
import { createTransactions } from './transactions.js';

type Stored = { _id: string; scope: string; id: string; document: Record<string, unknown> };
type Query = Parameters<ReadModels['page']>[2];

const scannedAtOnce = 1000;
const idOf = ({ scope, id }: DocumentKey) => `${scope}\n${id}`;

const writeOf = ({ scope, id, document }: Change): AnyBulkWriteOperation<Stored> => {
  const filter = { _id: idOf({ scope, id }) };
  if (document === null) return { deleteOne: { filter } };
  return { replaceOne: { filter, replacement: { scope, id, document: document as Stored['document'] }, upsert: true } };
};

/**
 * Selects documents after a page key. The first condition lets the query start at the key's value in the index. The
 * second condition skips documents that have the same value and were already returned.
 */
const beyond = (order: string, [value, id]: PageKey, oldestFirst: boolean): Filter<Stored> => {
  const [orEqual, strictly] = oldestFirst ? (['$gte', '$gt'] as const) : (['$lte', '$lt'] as const);
  return { [order]: { [orEqual]: value }, $or: [{ [order]: { [strictly]: value } }, { id: { [strictly]: id } }] };
};

/**
 * Builds the query of a page. Filter and sort use the fields of the declared index in their order, so that the index
 * serves both.
 */
export const pageFilter = (collection: AnyCollection, scope: string, query: Query) => {
  const index = collection.indexes[query.index];
  if (!index) throw new Error(`Unknown index "${query.index}" of collection ${collection.name}`);
  const order = fieldOf(index.order);
  const direction = query.oldestFirst ? 1 : -1;
  const filter: Filter<Stored> = {
    scope,
    ...Object.fromEntries(index.equal.map((field, i) => [fieldOf(field), query.equal[i]])),
    ...(query.after && beyond(order, query.after, query.oldestFirst ?? false)),
  };
  return { filter, sort: { [order]: direction, id: direction } as Record<string, 1 | -1>, order: index.order };
};

const keyOf = (last: WithId<Stored> | undefined, order: string): PageKey | null =>
  last ? [last.document[order] as number | string, last.id] : null;

const emptyCheckpoint = { revision: 0, positions: {}, live: {}, newest: {}, building: [], retired: [] };

/**
 * Upgrades a checkpoint written by an older release. Such a checkpoint has no generations, and its position names
 * contain versions.
 */
const upgrade = ({ positions, live, newest, building, retired }: Partial<StoredCheckpoint>) => ({
  positions: Object.fromEntries(Object.entries(positions ?? {}).map(([name, at]) => [name.replace(/@\d+$/, ''), at])),
  live: live ?? {},
  newest: newest ?? {},
  building: building ?? [],
  retired: retired ?? [],
});

/** Creates the checkpoint, and the first generation of every collection that has none. */
const prepare = async (db: Db, checkpoints: Collection<StoredCheckpoint>, collections: readonly AnyCollection[]) => {
  const checkpointFilter = { _id: checkpointId };
  await checkpoints.updateOne(checkpointFilter, { $setOnInsert: emptyCheckpoint }, { upsert: true });
  const old = await checkpoints.findOne({ ...checkpointFilter, live: { $exists: false } });
  if (old)
    await checkpoints.updateOne(
      { ...checkpointFilter, revision: old.revision },
      { $set: upgrade(old), $inc: { revision: 1 } },
    );
  for (const collection of collections) {
    const [name, first] = [collection.name, { number: 1, version: collection.version, indexes: indexesOf(collection) }];
    const change = { $set: { [`live.${name}`]: first, [`newest.${name}`]: first.number } };
    await checkpoints.updateOne({ ...checkpointFilter, [`live.${name}`]: { $exists: false } }, change);
  }
  const { live } = (await checkpoints.findOne(checkpointFilter)) ?? emptyCheckpoint;
  await ensureIndexes(db, currentCollections(live, collections));
};

const isHeld = ({ heldUntil = 0 }: StoredCheckpoint) => {
  const left = heldUntil - Date.now();
  return left > 0 && left <= maxHoldMs;
};

const writeAll = async (db: Db, stored: string, changes: readonly Change[], session: ClientSession) => {
  await db.collection<Stored>(stored).bulkWrite(changes.map(writeOf), { session, ordered: false });
};

/** Writes to the live generations. Fails if a live generation belongs to a newer release. */
const writeLive = async (
  db: Db,
  { live }: StoredCheckpoint,
  { collections, changes }: { collections: readonly AnyCollection[]; changes: readonly Change[] },
  session: ClientSession,
) => {
  for (const { name, version } of collections) {
    const one = live[name];
    if (one && one.version > version)
      throw new Failure(
        'FAILED_PRECONDITION',
        `A newer release has taken over the read model ${name}. Upgrade this process, or run chainfold projections rebuild --all with the release of this process.`,
      );
    const own = changes.filter((change) => change.collection.name === name);
    if (own.length > 0 && one) await writeAll(db, collectionName(name, one.number), own, session);
  }
};

const reads = (stored: Collection<Stored>, inTime: InTime): Pick<ReadModels, 'getMany' | 'scan'> => ({
  getMany: async <Doc>(_: AnyCollection, keys: readonly DocumentKey[]): Promise<(Doc | null)[]> => {
    const ids = keys.map(idOf);
    const found = await inTime(stored.find({ _id: { $in: ids } }).toArray());
    const byId = new Map(found.map((one) => [one._id, one.document as Doc]));
    return ids.map((id) => byId.get(id) ?? null);
  },
  scan: async (_, after) => {
    const later = after ? { _id: { $gt: idOf(after) } } : {};
    const rows = await inTime(stored.find(later).sort({ _id: 1 }).limit(scannedAtOnce).toArray());
    return rows.map(({ scope, id, document }) => ({ scope, id, document: document as never }));
  },
});

type OpenOptions = {
  readonly access: 'write' | 'read';
  readonly namespace: string;
  readonly deadlines: Deadlines;
};

export const mongoReadModels = async (
  url: string,
  collections: readonly AnyCollection[],
  { access = 'write', namespace = '', deadlines = defaultDeadlines }: Partial<OpenOptions> = {},
): Promise<RebuildableReadModels> => {
  const { client, db, inTime, close } = await connectMongo(url, namespace, deadlines);
  const transactions = createTransactions(client, db);
  const checkpoints = db.collection<StoredCheckpoint>('checkpoints');
  if (access === 'write')
    await inTime(Promise.all([prepare(db, checkpoints, collections), transactions.removeOld()]), commitTimeoutMs).catch(
      async (error: unknown) => {
        await close();
        throw error;
      },
    );
  const live = createLiveGenerations(checkpoints, inTime);
  const on = (stored: string) => reads(db.collection<Stored>(stored), inTime);

  const getMany: ReadModels['getMany'] = (collection, keys) =>
    live.read(collection, (_, stored) => on(stored).getMany(collection, keys));

  const generations = mongoGenerations({
    transactions,
    db,
    collections,
    on,
    write: (stored, changes, session) => writeAll(db, stored, changes, session),
  });

  return {
    get: async (collection, key) => (await getMany(collection, [key]))[0] ?? null,
    getMany,
    page: (collection, scope, query) =>
      live.read(collection, async ({ version, indexes }, stored) => {
        const { filter, sort, order } = pageFilter(collection, scope, query);
        const isOther = version !== collection.version;
        if (isOther && String(indexes[query.index]) !== String(indexesOf(collection)[query.index]))
          throw new Failure(
            'UNAVAILABLE',
            `Read model ${collection.name} is being rebuilt and does not support this list yet. Retry later.`,
          );
        const find = db.collection<Stored>(stored).find(filter).sort(sort);
        const rows = await inTime(find.limit(query.limit + 1).toArray());
        const shown = rows.slice(0, query.limit);
        const next = rows.length > query.limit ? keyOf(shown.at(-1), order) : null;
        return { documents: shown.map(({ document }) => document as never), next };
      }),
    scan: (collection, after) => live.read(collection, (_, stored) => on(stored).scan(collection, after)),
    checkpoint: async () => {
      const { revision, positions } = await live.readCheckpoint();
      return { revision, positions };
    },
    commit: (changes, from, positions) =>
      transactions.run(async (session) => {
        const filter = { _id: checkpointId, revision: from.revision };
        const change = { $set: { positions }, $inc: { revision: 1 } };
        const moved = await checkpoints.findOneAndUpdate(filter, change, { session });
        if (!moved || isHeld(moved)) return false;
        await writeLive(db, moved, { collections, changes }, session);
        return true;
      }),
    generations,
    close: async () => {
      await transactions.close();
      await close();
    },
  };
};
