import type { Collection as Stored } from 'mongodb';
import type { AnyCollection } from '../../projections/define.js';
import { inTime } from './connection.js';

/** What readers must know of a generation: where it lies, and by what it can be listed. */
type Live = {
  readonly number: number;
  readonly version: number;
  readonly indexes: Readonly<Record<string, readonly string[]>>;
};

/** Of all generations together; how far one that is built has come is kept apart, so that builders stop no commits. */
export type StoredCheckpoint = {
  _id: string;
  revision: number;
  positions: Record<string, number>;
  live: Record<string, Live>;
  /** The number that the newest generation was given. */
  newest: Record<string, number>;
  /** Of what a generation is built, and so may be swapped. */
  building: string[];
  /** Unix ms; until then nobody moves the positions. */
  heldUntil?: number;
  retired: { collection: string; number: number; at: number }[];
};

export const checkpointId = 'projector';
export const collectionName = (collection: string, number: number) => `${collection}_${number}`;
export const indexesOf = ({ indexes }: AnyCollection): Live['indexes'] =>
  Object.fromEntries(Object.entries(indexes).map(([name, { equal, order }]) => [name, [...equal, order]]));

export type StoredCollection = { readonly collection: AnyCollection; readonly stored: string };

/** Where those lie whose live generation is of the version that this software declares. */
export const ownOf = (live: StoredCheckpoint['live'], collections: readonly AnyCollection[]): StoredCollection[] =>
  collections.flatMap((collection) => {
    const one = live[collection.name];
    return one?.version === collection.version
      ? [{ collection, stored: collectionName(collection.name, one.number) }]
      : [];
  });

/** For so long what was read of the checkpoint is taken for true. */
const trustedMs = 250;
/** Nothing is swapped before everybody who reads knows that it may be. */
export const toldMs = 2 * trustedMs;

/**
 * Which generation is live. Asking with every read would double the reads, so that is done only while a new one is
 * built: what was read meanwhile from the one that is still live then, is true.
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
    /** Gives the read the collection of the live generation. */
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
  if (!checkpoint) throw new Error('the checkpoint is gone');
  return checkpoint;
};
