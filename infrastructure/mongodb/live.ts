import type { Collection as Stored } from 'mongodb';
import type { AnyCollection } from '../../projections/define.js';
import { inTime } from './connection.js';

/** A live generation as readers need it: its number, its projection's version and its indexes. */
type Live = {
  readonly number: number;
  readonly version: number;
  readonly indexes: Readonly<Record<string, readonly string[]>>;
};

/**
 * Checkpoint of all live generations. The progress of those being built is stored apart, so that builders never
 * conflict with commits.
 */
export type StoredCheckpoint = {
  _id: string;
  revision: number;
  positions: Record<string, number>;
  live: Record<string, Live>;
  /** Number of the newest generation, by collection. */
  newest: Record<string, number>;
  /** Collections with a generation being built, which may be swapped at any moment. */
  building: string[];
  /** Unix ms; until then the positions may not be moved. */
  heldUntil?: number;
  retired: { collection: string; number: number; at: number }[];
};

export const checkpointId = 'projector';
export const collectionName = (collection: string, number: number) => `${collection}_${number}`;
export const indexesOf = ({ indexes }: AnyCollection): Live['indexes'] =>
  Object.fromEntries(Object.entries(indexes).map(([name, { equal, order }]) => [name, [...equal, order]]));

export type StoredCollection = { readonly collection: AnyCollection; readonly stored: string };

/** Lists the collections whose live generation has the version that this software declares, with their stored names. */
export const ownOf = (live: StoredCheckpoint['live'], collections: readonly AnyCollection[]): StoredCollection[] =>
  collections.flatMap((collection) => {
    const one = live[collection.name];
    return one?.version === collection.version
      ? [{ collection, stored: collectionName(collection.name, one.number) }]
      : [];
  });

/** Time for which a checkpoint once read is trusted. */
const trustedMs = 250;
/** Time between beginning a build and its swap, so that every reader knows by then that a swap is possible. */
export const toldMs = 2 * trustedMs;

/**
 * Finds the live generation of a collection. Asking before every read would double the reads, so the checkpoint is read
 * again only while a new generation is being built: a result counts if the same generation is still live afterwards.
 */
export const createLiveGenerations = (checkpoints: Stored<StoredCheckpoint>) => {
  let known: { readonly at: number; readonly checkpoint: Promise<StoredCheckpoint> } | undefined;

  const ask = (): Promise<StoredCheckpoint> => {
    const asked = { at: performance.now(), checkpoint: inTime(checkpoints.findOne({ _id: checkpointId })).then(found) };
    known = asked;
    asked.checkpoint.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.checkpoint;
  };
  const recent = () => (known && performance.now() - known.at < trustedMs ? known.checkpoint : ask());

  return {
    ask,
    /** Runs the read on the live generation, and once more if that was swapped meanwhile. */
    read: async <T>({ name }: AnyCollection, read: (live: Live, stored: string) => Promise<T>): Promise<T> => {
      const from = ({ live }: StoredCheckpoint) => {
        const one = live[name];
        if (!one) throw new Error(`there is no collection ${name}`);
        return { one, read: () => read(one, collectionName(name, one.number)) };
      };
      const before = await recent();
      const first = from(before);
      if (!before.building.includes(name)) return first.read();
      const [result, after] = await Promise.all([first.read(), ask()]);
      const second = from(after);
      return second.one.number === first.one.number ? result : second.read();
    },
  };
};

const found = (checkpoint: StoredCheckpoint | null): StoredCheckpoint => {
  if (!checkpoint) throw new Error('the checkpoint of the read models is missing');
  return checkpoint;
};
