import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession, Db } from 'mongodb';
import type { Position } from '../../application/ports/event-store.js';
import {
  type Generation,
  type Generations,
  NothingBuilt,
  type Positions,
} from '../../application/ports/generations.js';
import { type Change, type ReadModels, withoutParts } from '../../application/ports/read-models.js';
import type { AnyCollection } from '../../projections/define.js';
import { commitTimeoutMs, inTime } from './connection.js';
import { ensureIndexes } from './indexes.js';
import { buildNoticeMs, checkpointId, collectionName, indexesOf, type StoredCheckpoint } from './live.js';
import type { Transactions } from './transactions.js';

type Building = { _id: string; collection: string; number: number; version: number; position: number };

/**
 * Milliseconds for which a retired collection is kept: longer than any read takes, because a read of a dropped
 * collection would find nothing instead of failing.
 */
const retiredTtlMs = 60_000;
const buildingId = ({ name }: AnyCollection) => `building:${name}`;

type Access = {
  readonly transactions: Transactions;
  readonly db: Db;
  readonly collections: readonly AnyCollection[];
  /** Returns functions that read the MongoDB collection named `stored`, whichever generation it holds. */
  readonly on: (stored: string) => Pick<ReadModels, 'getMany' | 'scan'>;
  readonly write: (stored: string, changes: readonly Change[], session: ClientSession) => Promise<void>;
};

const checkpointFilter = { _id: checkpointId };
const checkpointsIn = (db: Db) => db.collection<StoredCheckpoint>('checkpoints');
const buildsIn = (db: Db) => db.collection<Building>('checkpoints');

const inBuilding = ({ db }: Access, wanted: readonly AnyCollection[], session?: ClientSession) =>
  inTime(
    buildsIn(db)
      .find({ _id: { $in: wanted.map(buildingId) } }, session ? { session } : {})
      .toArray(),
  );
const drop = ({ db }: Access, { collection, number }: Pick<Building, 'collection' | 'number'>) =>
  inTime(db.dropCollection(collectionName(collection, number)), commitTimeoutMs);

const abandonOne = async (access: Access, one: Building) => {
  const gone = await access.transactions.run(async (session) => {
    const { deletedCount } = await buildsIn(access.db).deleteOne({ _id: one._id, number: one.number }, { session });
    await checkpointsIn(access.db).updateOne(checkpointFilter, { $pull: { building: one.collection } }, { session });
    return deletedCount === 1;
  });
  if (gone) await drop(access, one);
};

/**
 * Creates a generation with a new number and registers it. If two builders start at the same time, one succeeds and the
 * other drops the collection that it created.
 */
const beginOne = async (access: Access, collection: AnyCollection) => {
  const { db } = access;
  const { name, version } = collection;
  const count = { $inc: { [`newest.${name}`]: 1 } };
  const counted = await inTime(
    checkpointsIn(db).findOneAndUpdate(checkpointFilter, count, { returnDocument: 'after' }),
  );
  const number = counted?.newest[name] ?? 1;
  await inTime(ensureIndexes(db, [{ collection, stored: collectionName(name, number) }]), commitTimeoutMs);
  const one = { _id: buildingId(collection), collection: name, number, version, position: 0 };
  const isMine = await access.transactions.run(async (session) => {
    if (await buildsIn(db).findOne({ _id: one._id }, { session })) return false;
    await buildsIn(db).insertOne(one, { session });
    await checkpointsIn(db).updateOne(checkpointFilter, { $addToSet: { building: name } }, { session });
    return true;
  });
  if (!isMine) await drop(access, one);
};

const begin = async (access: Access, wanted: readonly AnyCollection[]) => {
  const begun = new Map((await inBuilding(access, wanted)).map((one) => [one.collection, one]));
  for (const collection of wanted) {
    const found = begun.get(collection.name);
    if (found?.version === collection.version) continue;
    if (found) await abandonOne(access, found);
    await beginOne(access, collection);
  }
};

const build = (access: Access, changes: readonly Change[], from: Positions, to: Positions) =>
  access.transactions.run(async (session) => {
    for (const collection of access.collections.filter(({ name }) => to[name] !== undefined)) {
      const { name, version } = collection;
      const expected = { _id: buildingId(collection), version, position: from[name] ?? 0 };
      const change = { $set: { position: to[name] ?? 0 } };
      const moved = await buildsIn(access.db).findOneAndUpdate(expected, change, { session });
      if (!moved) return false;
      const own = changes.filter((one) => one.collection.name === name);
      if (own.length > 0) await access.write(collectionName(name, moved.number), own, session);
    }
    return true;
  });

const swapped = (checkpoint: StoredCheckpoint, next: readonly Building[], wanted: readonly AnyCollection[]) => {
  const declared = new Map(wanted.map((collection) => [collection.name, collection]));
  const names = new Set(next.map(({ collection }) => collection));
  const live = next.map(({ collection, number, version }) => {
    const indexes = indexesOf(declared.get(collection) as AnyCollection);
    return [collection, { number, version, indexes }] as const;
  });
  const retired = next.map(({ collection }) => ({
    collection,
    number: checkpoint.live[collection]?.number ?? 0,
    at: Date.now(),
  }));
  const reached = Object.fromEntries(next.map(({ collection, position }) => [collection, position]));
  return {
    positions: { ...withoutParts(checkpoint.positions, names), ...reached },
    live: { ...checkpoint.live, ...Object.fromEntries(live) },
    building: checkpoint.building.filter((name) => !names.has(name)),
    retired: [...checkpoint.retired, ...retired],
    heldUntil: 0,
  };
};
const swap = (access: Access, wanted: readonly AnyCollection[], end: Position = Number.POSITIVE_INFINITY) =>
  access.transactions.run(async (session) => {
    const checkpoint = await checkpointsIn(access.db).findOne(checkpointFilter, { session });
    const next = await inBuilding(access, wanted, session);
    const isBehind = ({ collection, position }: Building) =>
      position < Math.min(checkpoint?.positions[collection] ?? 0, end);
    if (!checkpoint || next.length < wanted.length || next.some(isBehind)) return false;
    const change = { $set: swapped(checkpoint, next, wanted), $inc: { revision: 1 } };
    await checkpointsIn(access.db).updateOne(checkpointFilter, change, { session });
    await buildsIn(access.db).deleteMany({ _id: { $in: next.map(({ _id }) => _id) } }, { session });
    return true;
  });

const listGenerations = async (access: Access): Promise<readonly Generation[]> => {
  const checkpoint = await inTime(checkpointsIn(access.db).findOne(checkpointFilter));
  const begun = await inBuilding(access, access.collections);
  const live = Object.entries(checkpoint?.live ?? {}).map(([collection, { number, version }]) => ({
    collection,
    number,
    version,
    state: 'live' as const,
    position: 0,
  }));
  return [...live, ...begun.map(({ _id, ...one }) => ({ ...one, state: 'building' as const }))];
};

const removeRetired = async (access: Access) => {
  const checkpoint = await inTime(checkpointsIn(access.db).findOne(checkpointFilter));
  for (const one of checkpoint?.retired.filter(({ at }) => at < Date.now() - retiredTtlMs) ?? []) {
    await drop(access, one);
    await inTime(checkpointsIn(access.db).updateOne(checkpointFilter, { $pull: { retired: one } }));
  }
};

export const mongoGenerations = (access: Access): Generations => {
  let begunAt = 0;
  const building = async (collection: AnyCollection) => {
    const [one] = await inBuilding(access, [collection]);
    if (!one) throw new NothingBuilt(collection.name);
    return access.on(collectionName(one.collection, one.number));
  };
  return {
    listGenerations: () => listGenerations(access),
    begin: async (wanted) => {
      await begin(access, wanted);
      begunAt = performance.now();
    },
    built: {
      getMany: async (collection, keys) => (await building(collection)).getMany(collection, keys),
      scan: async (collection, after) => (await building(collection)).scan(collection, after),
    },
    build: (changes, from, to) => build(access, changes, from, to),
    // Waits until every reader has learned of the build. Indexes already exist: they are created at the start of the
    // build, because indexing a full collection would exceed every timeout.
    makeReady: () => pause(Math.max(0, begunAt + buildNoticeMs - performance.now())),
    swap: (wanted, end) => swap(access, wanted, end),
    hold: async (ms) => {
      const change = { $set: { heldUntil: Date.now() + ms }, $inc: { revision: 1 } };
      await inTime(checkpointsIn(access.db).updateOne(checkpointFilter, change));
    },
    abandon: async (wanted) => {
      for (const one of await inBuilding(access, wanted)) await abandonOne(access, one);
    },
    removeRetired: () => removeRetired(access),
  };
};
