import type { Checkpoint } from './wire.js';
import { heightOf } from './wire.js';

/** Transactions of all kept checkpoints together: some hundred checkpoints of a busy network. */
const maxTransactions = 10_000;

const weightOf = ({ transactions }: Checkpoint) => transactions.length + 1;

/**
 * Keeps whole checkpoints that came before they were asked for, until their blocks are read and there is no room left.
 * A checkpoint that finds no room is not kept, because the lower ones are read first.
 */
export const createKeptCheckpoints = (most = maxTransactions) => {
  const byNumber = new Map<number, Checkpoint>();
  const byDigest = new Map<string, Checkpoint>();
  let weight = 0;
  /** Highest checkpoint whose block was read. */
  let read = -1;
  const drop = (checkpoint: Checkpoint) => {
    byNumber.delete(heightOf(checkpoint));
    byDigest.delete(checkpoint.digest as string);
    weight -= weightOf(checkpoint);
  };
  /** Drops checkpoints that were read, oldest first, while there is no room for another one. */
  const makeRoom = (needed: number) => {
    for (const [number, checkpoint] of byNumber) {
      if (weight + needed <= most) return;
      if (number <= read) drop(checkpoint);
    }
  };
  return {
    at: (number: number) => byNumber.get(number),
    of: (digest: string) => byDigest.get(digest),
    /** Tells whether a checkpoint is worth fetching as a whole before its block is asked for. */
    isWanted: (number: number) => {
      makeRoom(1);
      return number > read && weight < most;
    },
    add: (checkpoint: Checkpoint) => {
      const before = byNumber.get(heightOf(checkpoint));
      if (before) drop(before);
      makeRoom(weightOf(checkpoint));
      if (weight + weightOf(checkpoint) > most) return;
      byNumber.set(heightOf(checkpoint), checkpoint);
      byDigest.set(checkpoint.digest as string, checkpoint);
      weight += weightOf(checkpoint);
    },
    drop,
    /** Notes that the block at a height was read. */
    pass: (number: number) => {
      read = Math.max(read, number);
    },
  };
};
export type KeptCheckpoints = ReturnType<typeof createKeptCheckpoints>;
