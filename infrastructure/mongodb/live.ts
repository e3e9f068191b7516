import type { Collection as Stored } from 'mongodb';
import type { AnyCollection } from '../../projections/define.js';
import type { InTime } from './connection.js';

/** Live generation: its number, its projection's version and the fields of its indexes. */
type Live = {
  readonly number: number;
  readonly version: number;
  readonly indexes: Readonly<Record<string, readonly string[]>>;
};

/**
 * Checkpoint shared by all live generations. Build progress is stored separately, so that builds never conflict with
 * commits.
 */
export type StoredCheckpoint = {
  _id: string;
  revision: number;
  positions: Record<string, number>;
  live: Record<string, Live>;
  /** Number of the newest generation, by collection. */
  newest: Record<string, number>;
  /** Collections with a generation that is being built and may be swapped at any moment. */
  building: string[];
  /** Unix ms until which the positions must not change. */
  heldUntil?: number;
  retired: { collection: string; number: number; at: number }[];
};

export const checkpointId = 'projector';
export const collectionName = (collection: string, number: number) => `${collection}_${number}`;
export const indexesOf = ({ indexes }: AnyCollection): Live['indexes'] =>
  Object.fromEntries(Object.entries(indexes).map(([name, { equal, order }]) => [name, [...equal, order]]));

export type StoredCollection = { readonly collection: AnyCollection; readonly stored: string };

/** Lists the collections whose live generation has the version declared by this release, with their stored names. */
export const currentCollections = (
  live: StoredCheckpoint['live'],
  collections: readonly AnyCollection[],
): StoredCollection[] =>
  collections.flatMap((collection) => {
    const one = live[collection.name];
    return one?.version === collection.version
      ? [{ collection, stored: collectionName(collection.name, one.number) }]
      : [];
  });

/** Milliseconds for which a cached checkpoint is used. */
const cacheTtlMs = 250;
/** Minimum milliseconds between the start of a build and its swap. Every reader knows of the build by then. */
export const buildNoticeMs = 2 * cacheTtlMs;

/**
 * Finds the live generation of a collection. To avoid a second query per read, the checkpoint is read again only while a
 * new generation is being built. A result is valid if the same generation is still live afterwards.
 */
export const createLiveGenerations = (checkpoints: Stored<StoredCheckpoint>, inTime: InTime) => {
  let known: { readonly at: number; readonly checkpoint: Promise<StoredCheckpoint> } | undefined;

  const readCheckpoint = (): Promise<StoredCheckpoint> => {
    const asked = { at: performance.now(), checkpoint: inTime(checkpoints.findOne({ _id: checkpointId })).then(found) };
    known = asked;
    asked.checkpoint.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.checkpoint;
  };
  const recent = () => (known && performance.now() - known.at < cacheTtlMs ? known.checkpoint : readCheckpoint());

  return {
    readCheckpoint,
    /** Runs the read on the live generation. Repeats it once if the generation was swapped meanwhile. */
    read: async <T>({ name }: AnyCollection, read: (live: Live, stored: string) => Promise<T>): Promise<T> => {
      const from = ({ live }: StoredCheckpoint) => {
        const one = live[name];
        if (!one) throw new Error(`Unknown read-model collection: ${name}`);
        return { one, read: () => read(one, collectionName(name, one.number)) };
      };
      const before = await recent();
      const first = from(before);
      if (!before.building.includes(name)) return first.read();
      const [result, after] = await Promise.all([first.read(), readCheckpoint()]);
      const second = from(after);
      return second.one.number === first.one.number ? result : second.read();
    },
  };
};

const found = (checkpoint: StoredCheckpoint | null): StoredCheckpoint => {
  if (!checkpoint) throw new Error('Read-model checkpoint not found in MongoDB. Start the service once to create it.');
  return checkpoint;
};
