/** Reads `retry-after` as milliseconds, bounded by `maxMs`; only seconds are understood, since nodes send no dates. */
export const retryAfterMs = (header: unknown, maxMs: number): number => Math.min(Number(header) * 1000 || 0, maxMs);
