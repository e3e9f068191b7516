/** Reads `retry-after` as milliseconds, bounded by `longestMs`; only seconds are understood, since nodes send no dates. */
export const retryAfterMs = (header: unknown, longestMs: number): number =>
  Math.min(Number(header) * 1000 || 0, longestMs);
