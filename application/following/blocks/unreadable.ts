import type { Header } from '../../ports/chain.js';
import type { System } from '../../ports/system.js';

/** Tries after which a block may be left out, so that a pause of this process does not count as failure of the nodes. */
const fewestTries = 5;

/**
 * Counts for how long a block could not be read although the nodes told their head and the block's header. That time
 * begins anew when they tell neither: then the chain is away, and its blocks are waited for.
 */
export const createUnreadable = ({ now }: Pick<System, 'now'>, limitMs: number) => {
  const failing = new Map<string, { readonly since: number; tries: number }>();
  return {
    /** Forgets all blocks but these. */
    keep: (headers: readonly Header[]) => {
      const kept = new Set(headers.map(({ hash }) => hash));
      for (const hash of failing.keys()) if (!kept.has(hash)) failing.delete(hash);
    },
    failed: ({ hash }: Header) => {
      const known = failing.get(hash) ?? { since: now(), tries: 0 };
      known.tries++;
      failing.set(hash, known);
    },
    isHopeless: ({ hash }: Header) => {
      const known = failing.get(hash);
      return known !== undefined && known.tries >= fewestTries && now() - known.since >= limitMs;
    },
  };
};
export type Unreadable = ReturnType<typeof createUnreadable>;
