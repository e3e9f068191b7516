/** The pauses between attempts that fail in a row: each twice as long as the one before, up to the longest. */
export type Backoff = {
  /** How long the next pause is to be. */
  upcoming(): number;
  /** Gives the pause that is due now, and makes the next one longer. */
  next(): number;
  /** After a success: the next failure is the first again. */
  reset(): void;
};

export const createBackoff = ({ firstMs, longestMs }: { firstMs: number; longestMs: number }): Backoff => {
  let pauseMs = firstMs;
  return {
    upcoming: () => pauseMs,
    next: () => {
      const due = pauseMs;
      pauseMs = Math.min(due * 2, longestMs);
      return due;
    },
    reset: () => {
      pauseMs = firstMs;
    },
  };
};
