import type { AnyBulkWriteOperation, ClientSession, Filter, WithId } from 'mongodb';
import type { Change, Checkpoint, DocumentKey, PageKey, ReadModels } from '../../application/ports/read-models.js';
import type { AnyCollection } from '../../projections/define.js';
import { connectMongo, inTime, longestMs } from './connection.js';
import { collectionName, ensureIndexes, fieldOf } from './indexes.js';

type Stored = { _id: string; scope: string; id: string; document: Record<string, unknown> };
type StoredCheckpoint = { _id: string; revision: number; positions: Record<string, number> };
type Query = Parameters<ReadModels['page']>[2];

const checkpointId = 'projector';
const scannedAtOnce = 1000;
const idOf = ({ scope, id }: DocumentKey) => `${scope}\n${id}`;

const writeOf = ({ scope, id, document }: Change): AnyBulkWriteOperation<Stored> => {
  const filter = { _id: idOf({ scope, id }) };
  if (document === null) return { deleteOne: { filter } };
  return { replaceOne: { filter, replacement: { scope, id, document: document as Stored['document'] }, upsert: true } };
};

/** The first bound lets the index start in the right place, the second leaves out what was shown with the same value. */
const beyond = (order: string, [value, id]: PageKey, oldestFirst: boolean): Filter<Stored> => {
  const [orEqual, strictly] = oldestFirst ? (['$gte', '$gt'] as const) : (['$lte', '$lt'] as const);
  return { [order]: { [orEqual]: value }, $or: [{ [order]: { [strictly]: value } }, { id: { [strictly]: id } }] };
};

/** What finds a page: every field of it leads an index that is declared. */
export const pageFilter = (collection: AnyCollection, scope: string, query: Query) => {
  const index = collection.indexes[query.index];
  if (!index) throw new Error(`${collection.name} has no index ${query.index}`);
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

export const mongoReadModels = async (
  url: string,
  collections: readonly AnyCollection[],
  access: 'write' | 'read' = 'write',
): Promise<ReadModels> => {
  const { client, db, close } = await connectMongo(url);
  const checkpoints = db.collection<StoredCheckpoint>('checkpoints');
  const stored = (collection: AnyCollection) => db.collection<Stored>(collectionName(collection));
  const prepare = async () => {
    await ensureIndexes(db, collections);
    const none = { $setOnInsert: { revision: 0, positions: {} } };
    await checkpoints.updateOne({ _id: checkpointId }, none, { upsert: true });
  };
  if (access === 'write')
    await inTime(prepare()).catch(async (error: unknown) => {
      await close();
      throw error;
    });

  const writeAll = async (changes: readonly Change[], session: ClientSession) => {
    for (const collection of collections) {
      const own = changes.filter((change) => collectionName(change.collection) === collectionName(collection));
      if (own.length > 0) await stored(collection).bulkWrite(own.map(writeOf), { session, ordered: false });
    }
  };
  const commit = (changes: readonly Change[], from: Checkpoint, positions: Checkpoint['positions']) =>
    client.withSession((session) =>
      session.withTransaction(async () => {
        const filter = { _id: checkpointId, revision: from.revision };
        const moved = await checkpoints.updateOne(filter, { $set: { positions }, $inc: { revision: 1 } }, { session });
        if (moved.matchedCount === 0) return false;
        await writeAll(changes, session);
        return true;
      }),
    );

  const getMany = async <Doc>(collection: AnyCollection, keys: readonly DocumentKey[]): Promise<(Doc | null)[]> => {
    const ids = keys.map(idOf);
    const found = await stored(collection)
      .find({ _id: { $in: ids } })
      .toArray();
    const byId = new Map(found.map((one) => [one._id, one.document as Doc]));
    return ids.map((id) => byId.get(id) ?? null);
  };

  return {
    get: async (collection, key) => (await inTime(getMany<never>(collection, [key])))[0] ?? null,
    getMany: (collection, keys) => inTime(getMany<never>(collection, keys)),
    page: async (collection, scope, query) => {
      const { filter, sort, order } = pageFilter(collection, scope, query);
      const find = stored(collection).find(filter).sort(sort);
      const rows = await inTime(find.limit(query.limit + 1).toArray());
      const shown = rows.slice(0, query.limit);
      const next = rows.length > query.limit ? keyOf(shown.at(-1), order) : null;
      return { documents: shown.map(({ document }) => document as never), next };
    },
    scan: async (collection, after) => {
      const later = after ? { _id: { $gt: idOf(after) } } : {};
      const rows = await inTime(stored(collection).find(later).sort({ _id: 1 }).limit(scannedAtOnce).toArray());
      return rows.map(({ scope, id, document }) => ({ scope, id, document: document as never }));
    },
    checkpoint: async () => {
      const found = await inTime(checkpoints.findOne({ _id: checkpointId }));
      return { revision: found?.revision ?? 0, positions: found?.positions ?? {} };
    },
    commit: (changes, from, positions) => inTime(commit(changes, from, positions), longestMs),
    // The checkpoint comes last: whoever is interrupted starts over, instead of taking a part for the whole.
    reset: async () => {
      for (const collection of collections) await inTime(stored(collection).deleteMany({}), longestMs);
      const nothing = { $set: { positions: {} }, $inc: { revision: 1 } };
      await inTime(checkpoints.updateOne({ _id: checkpointId }, nothing));
    },
    close,
  };
};
