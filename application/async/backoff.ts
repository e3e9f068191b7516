/**
 * Exponential backoff: each pause is twice as long as the previous pause, at most `maxMs`. All pauses are in
 * milliseconds.
 */
export type Backoff = {
  /** Returns the pause that `next` will return, without doubling it. */
  upcoming(): number;
  /** Returns the pause before the next attempt and doubles the pause after that. */
  next(): number;
  /** Restarts at `firstMs`; called after a success. */
  reset(): void;
};

export const createBackoff = ({ firstMs, maxMs }: { firstMs: number; maxMs: number }): Backoff => {
  let pauseMs = firstMs;
  return {
    upcoming: () => pauseMs,
    next: () => {
      const due = pauseMs;
      pauseMs = Math.min(due * 2, maxMs);
      return due;
    },
    reset: () => {
      pauseMs = firstMs;
    },
  };
};
