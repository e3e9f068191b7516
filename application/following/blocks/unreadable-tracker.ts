import type { Header } from '../../ports/chain.js';
import type { System } from '../../ports/system.js';

/** Minimum number of attempts before a block times out, so that a suspended process does not blame the nodes. */
const minAttempts = 5;

type Failing = {
  readonly number: number;
  /** Counted milliseconds up to `countedTo`. */
  elapsed: number;
  /** Time of the last failure; null while the time is paused. */
  countedTo: number | null;
  tries: number;
};

/**
 * Tracks for how long a block could not be read although the nodes answer. The time is paused while the nodes do not return
 * the path from the tip to the block: then they lag or are unreachable, and the follower waits for the block.
 */
export const createUnreadableTracker = ({ now }: Pick<System, 'now'>, timeoutMs: number) => {
  const failing = new Map<string, Failing>();
  const elapsedOf = ({ elapsed, countedTo }: Failing) => elapsed + (countedTo === null ? 0 : now() - countedTo);
  return {
    /** Pauses the time of all blocks except these. */
    pauseExcept: (headers: readonly Header[]) => {
      const counted = new Set(headers.map(({ hash }) => hash));
      for (const [hash, known] of failing) if (!counted.has(hash)) known.countedTo = null;
    },
    /** Forgets blocks up to a height, which were processed, skipped or replaced. */
    forgetUpTo: (height: number) => {
      for (const [hash, { number }] of failing) if (number <= height) failing.delete(hash);
    },
    failed: ({ number, hash }: Header) => {
      const known = failing.get(hash) ?? { number, elapsed: 0, countedTo: null, tries: 0 };
      const elapsed = elapsedOf(known);
      failing.set(hash, { number, elapsed, countedTo: now(), tries: known.tries + 1 });
    },
    hasTimedOut: ({ hash }: Header) => {
      const known = failing.get(hash);
      return known !== undefined && known.tries >= minAttempts && elapsedOf(known) >= timeoutMs;
    },
  };
};
export type UnreadableTracker = ReturnType<typeof createUnreadableTracker>;
