const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Delay before the first, second and each further retry, in ms. The delivery fails if the last retry fails. */
export const retryDelays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];
/** Maximum fraction by which a retry delay is randomly shortened or lengthened. */
export const retryJitter = 0.1;

/**
 * Returns the time of the next attempt in Unix ms; null if no retry is left. `tries` is the number of failed attempts,
 * and `at` the end of the last attempt in Unix ms. `jitter` is a random number from 0 to 1. `retryAt` is the earliest
 * time that the receiver allows, in Unix ms; null if the receiver named no time.
 */
export const nextRetry = (tries: number, at: number, jitter: number, retryAt: number | null) => {
  const delay = retryDelays[tries - 1];
  if (delay === undefined) return null;
  return Math.max(Math.round(at + delay * (1 - retryJitter + 2 * retryJitter * jitter)), retryAt ?? 0);
};
