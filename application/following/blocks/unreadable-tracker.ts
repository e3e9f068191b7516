import type { Header } from '../../ports/chain.js';
import type { System } from '../../ports/system.js';

/** Minimum number of attempts before a block times out, so that a suspended process does not blame the nodes. */
const minAttempts = 5;

/**
 * Tracks for how long a block could not be read although the nodes answer. The time is reset when the nodes return neither
 * the head nor the block's header: then the chain is unreachable, and the follower waits for the block.
 */
export const createUnreadableTracker = ({ now }: Pick<System, 'now'>, timeoutMs: number) => {
  const failing = new Map<string, { readonly since: number; tries: number }>();
  return {
    /** Forgets all blocks except these. */
    keep: (headers: readonly Header[]) => {
      const kept = new Set(headers.map(({ hash }) => hash));
      for (const hash of failing.keys()) if (!kept.has(hash)) failing.delete(hash);
    },
    failed: ({ hash }: Header) => {
      const known = failing.get(hash) ?? { since: now(), tries: 0 };
      known.tries++;
      failing.set(hash, known);
    },
    hasTimedOut: ({ hash }: Header) => {
      const known = failing.get(hash);
      return known !== undefined && known.tries >= minAttempts && now() - known.since >= timeoutMs;
    },
  };
};
export type UnreadableTracker = ReturnType<typeof createUnreadableTracker>;
