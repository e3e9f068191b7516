import { createBoundedCache } from '../bounded-cache.js';

type Clock = { now(): number; sleep(ms: number): Promise<void> };

export type LargeWorkThrottle = {
  /**
   * Returns whether work of this many steps is large, alone or together with earlier work of the key. Counts the steps
   * unless it returns true.
   */
  isLarge(key: string, steps: number): boolean;
  /** Runs small work immediately. */
  small<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Runs large work after a pause that leaves time to small work. Callers must await one call before the next. */
  large<T>(key: string, work: () => Promise<T>): Promise<T>;
};

/** Steps from which work is large. A key may start as many in a second as small work, without the first of each. */
const largeSteps = 100;
const maxCountedKeys = 10_000;

/** Pause between two pieces of large work, as a multiple of the duration of the first piece. */
const pauseFactor = 10;
const maxPauseMs = 2000;
const pollIntervalMs = 5;
/** Polls in a row without small work after which the pause ends early. */
const quietPolls = 20;

/** Counts the steps of each key except the first of each piece, which the rate limit bounds. The count drains over time. */
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
 * Limits large work to about a tenth of the time while other keys have small work. Large work blocks small work. Without
 * pauses, every small piece would wait for a large one, because the next large piece starts when the last one ends.
 */
export const createLargeWorkThrottle = ({ now, sleep }: Clock): LargeWorkThrottle => {
  let last: { readonly key: string; readonly tookMs: number } | undefined;
  /** Number of small pieces of other keys that started since the last large piece started. */
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
