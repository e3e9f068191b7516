/** Pauses between attempts that fail in a row: each twice as long as the one before, up to the longest. */
export type Backoff = {
  /** Returns the next pause without using it up. */
  upcoming(): number;
  /** Returns the pause that is due now, and doubles the next one. */
  next(): number;
  /** Starts again with the first pause, after a success. */
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
