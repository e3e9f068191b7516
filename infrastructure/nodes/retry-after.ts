/** Returns the `retry-after` header in milliseconds, at most `maxMs`; 0 if absent. Nodes send seconds, never dates. */
export const retryAfterMs = (header: unknown, maxMs: number): number => Math.min(Number(header) * 1000 || 0, maxMs);
