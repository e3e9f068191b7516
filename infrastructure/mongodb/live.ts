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
 * Checkpoint shared by all live generations. The progress of builds is stored separately, so that a build never
 * conflicts with a commit.
 */
export type StoredCheckpoint = {
  _id: string;
  revision: number;
  positions: Record<string, number>;
  live: Record<string, Live>;
  /** Number of the newest generation of each collection, keyed by the collection's name. */
  newest: Record<string, number>;
  /** Collections with a generation that is being built and may be swapped at any moment. */
  building: string[];
  /** Unix ms until which no commit may change the positions; absent or 0 if commits may change them now. */
  heldUntil?: number;
  retired: { collection: string; number: number; at: number }[];
};

export const checkpointId = 'projector';
export const collectionName = (collection: string, number: number) => `${collection}_${number}`;
export const indexesOf = ({ indexes }: AnyCollection): Live['indexes'] =>
  Object.fromEntries(Object.entries(indexes).map(([name, { equal, order }]) => [name, [...equal, order]]));

export type StoredCollection = { readonly collection: AnyCollection; readonly stored: string };

/**
 * Lists the collections with a live generation of the version that this release declares, each with its stored name.
 */
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
/**
 * Minimum time in ms between the start of a build and its swap: long enough for every reader to learn of the build.
 */
export const buildNoticeMs = 2 * cacheTtlMs;

/**
 * Creates a reader of live generations. The reader finds the live generation of a collection in a checkpoint that is
 * cached for `cacheTtlMs`, which saves a second query per read. While a new generation is being built, each read also
 * reads the checkpoint anew: the result of the read is valid only if that checkpoint names the same live generation.
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
    /** Runs the read on the live generation. Repeats the read once if the generation was swapped meanwhile. */
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
