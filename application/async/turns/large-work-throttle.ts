import { createBoundedCache } from '../bounded-cache.js';

type Clock = { now(): number; sleep(ms: number): Promise<void> };

export type LargeWorkThrottle = {
  /**
   * Returns whether work of `steps` steps is large, alone or together with recent small work with the same key. Small
   * work is added to the count of its key.
   */
  isLarge(key: string, steps: number): boolean;
  /** Runs small work immediately. */
  small<T>(key: string, work: () => Promise<T>): Promise<T>;
  /**
   * Runs large work after a pause that leaves time for small work with other keys. Callers must await one call before
   * the next call.
   */
  large<T>(key: string, work: () => Promise<T>): Promise<T>;
};

/**
 * Number of steps from which work is large; also the maximum number of steps per second that may start as small work
 * with the same key, not counting the first step of each piece of work.
 */
const largeSteps = 100;
const maxCountedKeys = 10_000;

/** Pause between two pieces of large work, as a multiple of the duration of the earlier piece. */
const pauseFactor = 10;
const maxPauseMs = 2000;
const pollIntervalMs = 5;
/** Number of consecutive polls that must find no small work with other keys before the pause ends early. */
const quietPolls = 20;

/**
 * Creates the predicate for large work: a leaky bucket of steps per key. The first step of each piece of work is free,
 * because the rate limit of requests bounds the number of pieces.
 */
const createStepCounter = ({ now }: Pick<Clock, 'now'>) => {
  const counts = createBoundedCache<string, { readonly steps: number; readonly at: number }>(maxCountedKeys);
  return (key: string, steps: number) => {
    if (steps <= 1) return false;
    if (steps >= largeSteps) return true;
    const { steps: counted, at } = counts.get(key) ?? { steps: 0, at: now() };
    const left = Math.max(0, counted - (Math.max(0, now() - at) * largeSteps) / 1000);
    const isLarge = left + steps > largeSteps;
    counts.set(key, { steps: isLarge ? left : left + steps - 1, at: now() });
    return isLarge;
  };
};

/**
 * Creates a throttle that limits large work to about a tenth of the time while small work with other keys arrives. A
 * running piece of large work delays all small work, and without pauses, the next large piece would start as soon as
 * the previous piece ends.
 */
export const createLargeWorkThrottle = ({ now, sleep }: Clock): LargeWorkThrottle => {
  let last: { readonly key: string; readonly tookMs: number } | undefined;
  /**
   * Number of pieces of small work with other keys that have started since the last piece of large work started.
   */
  let begun = 0;
  let running = 0;

  const pause = async (tookMs: number) => {
    const ms = Math.min(tookMs * pauseFactor, maxPauseMs);
    let quiet = begun + running === 0 ? quietPolls : 0;
    for (let paused = 0; paused < ms && quiet < quietPolls; paused += pollIntervalMs) {
      const before = begun;
      await sleep(pollIntervalMs);
      quiet = begun + running === before ? quiet + 1 : 0;
    }
  };
  return {
    isLarge: createStepCounter({ now }),
    small: async (key, work) => {
      if (key === last?.key) return work();
      begun++;
      running++;
      try {
        return await work();
      } finally {
        running--;
      }
    },
    large: async (key, work) => {
      if (last) await pause(last.tookMs);
      last = { key, tookMs: 0 };
      begun = 0;
      const started = now();
      try {
        return await work();
      } finally {
        last = { key, tookMs: now() - started };
      }
    },
  };
};
