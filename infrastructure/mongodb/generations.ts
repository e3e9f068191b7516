import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type Db, type MongoClient, MongoServerError } from 'mongodb';
import type { Generation, Generations, Positions } from '../../application/ports/generations.js';
import type { Change, ReadModels } from '../../application/ports/read-models.js';
import type { AnyCollection } from '../../projections/define.js';
import { inTime, longestMs } from './connection.js';
import { ensureIndexes } from './indexes.js';
import { checkpointId, collectionName, indexesOf, type StoredCheckpoint, toldMs } from './live.js';

type Building = { _id: string; collection: string; number: number; version: number; position: number };

const duplicateKey = 11_000;
/** Longer than any read may take: a collection that is gone looks like an empty one. */
const inUseMs = 60_000;
const buildingId = ({ name }: AnyCollection) => `building:${name}`;

type Access = {
  readonly client: MongoClient;
  readonly db: Db;
  readonly collections: readonly AnyCollection[];
  /** Of a stored collection, whichever generation it is. */
  readonly on: (stored: string) => Pick<ReadModels, 'getMany' | 'scan'>;
  readonly write: (stored: string, changes: readonly Change[], session: ClientSession) => Promise<void>;
};

export const mongoGenerations = ({ client, db, collections, on, write }: Access): Generations => {
  const checkpoints = db.collection<StoredCheckpoint>('checkpoints');
  const builds = db.collection<Building>('checkpoints');
  const self = { _id: checkpointId };
  let begunAt = 0;

  const transaction = (work: (session: ClientSession) => Promise<boolean>) =>
    inTime(
      client.withSession((session) => session.withTransaction(() => work(session))),
      longestMs,
    );
  const inBuilding = (wanted: readonly AnyCollection[], session?: ClientSession) =>
    builds.find({ _id: { $in: wanted.map(buildingId) } }, session ? { session } : {}).toArray();
  const building = async (collection: AnyCollection) => {
    const [one] = await inTime(inBuilding([collection]));
    if (!one) throw new Error(`nothing is built of ${collection.name}`);
    return on(collectionName(one.collection, one.number));
  };
  const drop = ({ collection, number }: Pick<Building, 'collection' | 'number'>) =>
    inTime(db.dropCollection(collectionName(collection, number)), longestMs);

  const abandonOne = async (one: Building) => {
    const gone = await transaction(async (session) => {
      const { deletedCount } = await builds.deleteOne({ _id: one._id, number: one.number }, { session });
      await checkpoints.updateOne(self, { $pull: { building: one.collection } }, { session });
      return deletedCount === 1;
    });
    if (gone) await drop(one);
  };
  /** Each beginner takes a number of its own; of two at once, one keeps it. */
  const beginOne = async (collection: AnyCollection) => {
    const { name, version } = collection;
    const counted = await checkpoints.findOneAndUpdate(
      self,
      { $inc: { [`newest.${name}`]: 1 } },
      { returnDocument: 'after' },
    );
    const number = counted?.newest[name] ?? 1;
    await ensureIndexes(db, [{ collection, stored: collectionName(name, number) }]);
    const one = { _id: buildingId(collection), collection: name, number, version, position: 0 };
    try {
      await transaction(async (session) => {
        await builds.insertOne(one, { session });
        await checkpoints.updateOne(self, { $addToSet: { building: name } }, { session });
        return true;
      });
    } catch (error) {
      await drop(one);
      const cause = error instanceof Error && error.cause instanceof MongoServerError ? error.cause : error;
      if (!(cause instanceof MongoServerError && cause.code === duplicateKey)) throw error;
    }
  };
  const begin = async (wanted: readonly AnyCollection[]) => {
    const begun = new Map((await inTime(inBuilding(wanted))).map((one) => [one.collection, one]));
    for (const collection of wanted) {
      const found = begun.get(collection.name);
      if (found?.version === collection.version) continue;
      if (found) await abandonOne(found);
      await beginOne(collection);
    }
    begunAt = performance.now();
  };

  const build = (changes: readonly Change[], from: Positions, to: Positions) =>
    transaction(async (session) => {
      for (const collection of collections.filter(({ name }) => to[name] !== undefined)) {
        const { name, version } = collection;
        const expected = { _id: buildingId(collection), version, position: from[name] ?? 0 };
        const moved = await builds.findOneAndUpdate(expected, { $set: { position: to[name] ?? 0 } }, { session });
        if (!moved) {
          await session.abortTransaction();
          return false;
        }
        const own = changes.filter((change) => change.collection.name === name);
        if (own.length > 0) await write(collectionName(name, moved.number), own, session);
      }
      return true;
    });

  const swap = async (wanted: readonly AnyCollection[]) => {
    await pause(Math.max(0, begunAt + toldMs - performance.now()));
    return transaction(async (session) => {
      const checkpoint = await checkpoints.findOne(self, { session });
      const next = await inBuilding(wanted, session);
      const isBehind = ({ collection, position }: Building) => position < (checkpoint?.positions[collection] ?? 0);
      if (!checkpoint || next.length < wanted.length || next.some(isBehind)) return false;
      const declared = new Map(wanted.map((collection) => [collection.name, collection]));
      const live = next.map(({ collection, number, version }) => {
        const { indexes } = declared.get(collection) as AnyCollection;
        return [collection, { number, version, indexes: indexesOf({ indexes } as AnyCollection) }] as const;
      });
      const retired = next.map(({ collection }) => ({
        collection,
        number: checkpoint.live[collection]?.number ?? 0,
        at: Date.now(),
      }));
      const names = new Set(next.map(({ collection }) => collection));
      const reached = Object.fromEntries(next.map(({ collection, position }) => [collection, position]));
      const change = {
        positions: { ...checkpoint.positions, ...reached },
        live: { ...checkpoint.live, ...Object.fromEntries(live) },
        building: checkpoint.building.filter((name) => !names.has(name)),
        retired: [...checkpoint.retired, ...retired],
      };
      await checkpoints.updateOne(self, { $set: change, $inc: { revision: 1 } }, { session });
      await builds.deleteMany({ _id: { $in: next.map(({ _id }) => _id) } }, { session });
      return true;
    });
  };

  const all = async (): Promise<readonly Generation[]> => {
    const [checkpoint, begun] = await inTime(Promise.all([checkpoints.findOne(self), inBuilding(collections)]));
    const live = Object.entries(checkpoint?.live ?? {}).map(([collection, { number, version }]) => ({
      collection,
      number,
      version,
      state: 'live' as const,
      position: 0,
    }));
    const retired = (checkpoint?.retired ?? []).map(({ collection, number }) => ({
      collection,
      number,
      version: 0,
      state: 'retired' as const,
      position: 0,
    }));
    return [...live, ...begun.map(({ _id, ...one }) => ({ ...one, state: 'building' as const })), ...retired];
  };

  return {
    all,
    begin,
    built: {
      getMany: async (collection, keys) => (await building(collection)).getMany(collection, keys),
      scan: async (collection, after) => (await building(collection)).scan(collection, after),
    },
    build,
    // A server takes documents nearly as fast with indexes, and builds them late for longer than anybody waits.
    makeReady: async () => undefined,
    swap,
    abandon: async (wanted) => {
      for (const one of await inTime(inBuilding(wanted))) await abandonOne(one);
    },
    removeRetired: async () => {
      const { retired = [] } = (await inTime(checkpoints.findOne(self))) ?? {};
      for (const one of retired.filter(({ at }) => at < Date.now() - inUseMs)) {
        await drop(one);
        await inTime(checkpoints.updateOne(self, { $pull: { retired: one } }));
      }
    },
  };
};
