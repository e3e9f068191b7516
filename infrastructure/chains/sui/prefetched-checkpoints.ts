import type { Checkpoint } from './wire.js';
import { heightOf } from './wire.js';

/** Maximum estimated bytes of all prefetched checkpoints: some hundred checkpoints of a busy network. */
const maxBytes = 32 * 1024 * 1024;
/** Estimated bytes in memory of a transaction and of a balance change. */
const [transactionBytes, changeBytes] = [2000, 250];

const weightOf = ({ transactions }: Checkpoint) =>
  transactions.reduce((sum, { balanceChanges }) => sum + balanceChanges.length * changeBytes, 0) +
  (transactions.length + 1) * transactionBytes;

/**
 * Creates a store for whole checkpoints that are fetched before their blocks are read. Only checkpoints whose blocks
 * were read are evicted. If there is no room, a new checkpoint is not stored, because the stored ones have lower
 * numbers and are read first.
 */
export const createPrefetchedCheckpoints = (maxWeight = maxBytes) => {
  const byNumber = new Map<number, Checkpoint>();
  const byDigest = new Map<string, Checkpoint>();
  let weight = 0;
  /** Number of the highest checkpoint whose block was read. */
  let read = -1;
  const drop = (checkpoint: Checkpoint) => {
    byNumber.delete(heightOf(checkpoint));
    byDigest.delete(checkpoint.digest as string);
    weight -= weightOf(checkpoint);
  };
  /** Drops checkpoints whose blocks were read, oldest first, until there is room for another checkpoint. */
  const makeRoom = (needed: number) => {
    for (const [number, checkpoint] of byNumber) {
      if (weight + needed <= maxWeight) return;
      if (number <= read) drop(checkpoint);
    }
  };
  return {
    at: (number: number) => byNumber.get(number),
    of: (digest: string) => byDigest.get(digest),
    /** Returns whether a checkpoint should be prefetched: it was not read yet, and there is room. */
    isWanted: (number: number) => {
      makeRoom(transactionBytes);
      return number > read && weight < maxWeight;
    },
    add: (checkpoint: Checkpoint) => {
      const before = byNumber.get(heightOf(checkpoint));
      if (before) drop(before);
      makeRoom(weightOf(checkpoint));
      if (weight + weightOf(checkpoint) > maxWeight) return;
      byNumber.set(heightOf(checkpoint), checkpoint);
      byDigest.set(checkpoint.digest as string, checkpoint);
      weight += weightOf(checkpoint);
    },
    drop,
    /** Marks all checkpoints up to a number as read. */
    markRead: (number: number) => {
      read = Math.max(read, number);
    },
  };
};
export type PrefetchedCheckpoints = ReturnType<typeof createPrefetchedCheckpoints>;
