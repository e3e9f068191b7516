const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Delay before each retry in ms. The delivery fails after the last one. */
export const retryDelays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];
/** Fraction by which a retry delay is randomly shortened or lengthened. */
export const retryJitter = 0.1;

/** Returns the time of the next attempt in Unix ms after `tries` failed ones; null if no retry is left. */
export const nextRetry = (tries: number, at: number, jitter: number, retryAt: number | null) => {
  const delay = retryDelays[tries - 1];
  if (delay === undefined) return null;
  return Math.max(Math.round(at + delay * (1 - retryJitter + 2 * retryJitter * jitter)), retryAt ?? 0);
};
