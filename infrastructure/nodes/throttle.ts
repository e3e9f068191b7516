import { setTimeout as sleep } from 'node:timers/promises';
import { NodeFault } from './node-fault.js';

const maxConcurrent = 8;
const gapMs = { first: 50, max: 2000, min: 5 };
/** Window in which answers are counted, because most nodes limit requests per second. */
const rateWindowMs = 1000;
/** Milliseconds for which a rate-limited request is retried on the same node before another node is tried. */
const retryForMs = 2000;
/** Factors by which pause and gap grow after rate-limit errors, and by which the gap shrinks with each answer. */
const growth = 2;
const gapGrowth = 4;
const decay = 0.97;
/** Factor on the measured gap between answers, to stay below the node's rate limit. */
const margin = 1.1;

/** Creates slots, which limit concurrent requests to `maxConcurrent`. Further requests wait in order. */
const createSlots = () => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    enter: async () => {
      if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
      else running++;
    },
    leave: () => {
      const next = waiting.shift();
      if (next) next();
      else running--;
    },
  };
};

/** Creates a gap between requests, which spaces them out while a node returns rate-limit errors. */
const createGap = () => {
  let gap = 0;
  let pause = 0;
  let nextAt = 0;
  let slowedAt = 0;
  const answeredAt: number[] = [];
  const recentAnswers = (now: number) => {
    while (answeredAt.length > 0 && now - (answeredAt[0] as number) > rateWindowMs) answeredAt.shift();
    return answeredAt.length;
  };
  return {
    wait: async (until: number) => {
      const now = performance.now();
      const startAt = Math.max(now, nextAt);
      if (startAt > until) throw new NodeFault('late', 'is rate limited beyond the deadline');
      nextAt = startAt + gap;
      if (startAt > now) await sleep(startAt - now);
    },
    /** Slows down once for all concurrent requests, because their rate-limit errors have one cause. */
    slowDown: (restMs: number, askedAt: number) => {
      const now = performance.now();
      if (askedAt >= slowedAt) {
        const seen = Math.min(gapMs.max, (rateWindowMs / Math.max(1, recentAnswers(now))) * margin);
        gap = Math.max(gap, Math.min(seen, Math.max(gapMs.first, gap * gapGrowth)));
        pause = Math.min(gapMs.max, Math.max(gapMs.first, pause * growth));
        slowedAt = now;
      }
      nextAt = Math.max(nextAt, now + Math.max(restMs, gap, pause));
    },
    speedUp: () => {
      const now = performance.now();
      recentAnswers(now);
      answeredAt.push(now);
      pause = 0;
      gap = gap * decay < gapMs.min ? 0 : gap * decay;
    },
  };
};

/**
 * Creates a throttle that adapts to the rate limit of a node. A rate-limited request is retried for up to 2 s, each
 * time after the pause that the node asks for, and later requests are spaced out. Other faults with a `retry-after`
 * also widen the gap, but are not retried.
 */
export const createThrottle = () => {
  const { enter, leave } = createSlots();
  const { wait, slowDown, speedUp } = createGap();

  /** Returns whether a failed request should be retried on the same node. */
  const shouldRetry = (error: unknown, askedAt: number, firstAt: number) => {
    if (!(error instanceof NodeFault)) return false;
    if (error.kind === 'busy' || error.restMs > 0) slowDown(error.restMs, askedAt);
    return error.kind === 'busy' && performance.now() - firstAt < retryForMs;
  };
  const askWithRetries = async <T>(until: number, ask: () => Promise<T>): Promise<T> => {
    for (let firstAt: number | null = null; ; ) {
      await wait(until);
      const askedAt = performance.now();
      firstAt ??= askedAt;
      try {
        const answer = await ask();
        speedUp();
        return answer;
      } catch (error) {
        if (!shouldRetry(error, askedAt, firstAt)) throw error;
      }
    }
  };

  return async <T>(until: number, ask: () => Promise<T>): Promise<T> => {
    await enter();
    try {
      return await askWithRetries(until, ask);
    } finally {
      leave();
    }
  };
};
