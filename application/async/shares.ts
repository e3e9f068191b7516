type Clock = { now(): number; sleep(ms: number): Promise<void> };

export type Shares = {
  /** Runs small work at once. */
  small<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Runs large work after a pause for the others; its callers give one piece at a time. */
  large<T>(key: string, work: () => Promise<T>): Promise<T>;
};

/** Pause between two pieces of large work, as a multiple of the time that the first of them took. */
const timesOfLarge = 10;
const maxMs = 2000;
const pollIntervalMs = 5;
/** Looks without any small work after which nobody else needs the pause. */
const quietLooks = 20;

/**
 * Shares time between small work and large work, for which small work has to wait. As long as other keys have small
 * work, large work takes a tenth of the time at most: otherwise every piece of small work would wait for a large one,
 * since the next of those begins when the last has ended.
 */
export const createShares = ({ now, sleep }: Clock): Shares => {
  let last: { readonly key: string; readonly tookMs: number } | undefined;
  /** Pieces of small work of others that began since the last large work did. */
  let begun = 0;
  let running = 0;

  const pause = async (tookMs: number) => {
    const ms = Math.min(tookMs * timesOfLarge, maxMs);
    let quiet = begun + running === 0 ? quietLooks : 0;
    for (let paused = 0; paused < ms && quiet < quietLooks; paused += pollIntervalMs) {
      const before = begun;
      await sleep(pollIntervalMs);
      quiet = begun + running === before ? quiet + 1 : 0;
    }
  };
  return {
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
