import { setTimeout as sleep } from 'node:timers/promises';
import { NodeFault } from './node-fault.js';

const atOnce = 8;
const gapMs = { first: 50, longest: 2000, least: 5 };
/** Time for which answers are counted, because most nodes allow so many requests in a second. */
const countedMs = 1000;
/** Time for which a request is repeated at a node that refuses it, before another node may be asked. */
const insistMs = 2000;
/** Factors by which pause and gap grow with complaints, and the gap shrinks with every answer. */
const growth = 2;
const gapGrowth = 4;
const decay = 0.97;
/** Factor on the gap at which a node that complains has answered, to stay below its limit. */
const margin = 1.1;

/** Lets a few requests run at once; the others wait for their turn. */
const createSlots = () => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    enter: async () => {
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else running++;
    },
    leave: () => {
      const next = waiting.shift();
      if (next) next();
      else running--;
    },
  };
};

/** Keeps a gap between requests while a node complains. */
const createGap = () => {
  let gap = 0;
  let pause = 0;
  let nextAt = 0;
  let slowedAt = 0;
  const answeredAt: number[] = [];
  const answersLately = (now: number) => {
    while (answeredAt.length > 0 && now - (answeredAt[0] as number) > countedMs) answeredAt.shift();
    return answeredAt.length;
  };
  return {
    wait: async (until: number) => {
      const now = performance.now();
      const startAt = Math.max(now, nextAt);
      if (startAt > until) throw new NodeFault('late', 'allows too few requests for the time that is left');
      nextAt = startAt + gap;
      if (startAt > now) await sleep(startAt - now);
    },
    /** Slows down once for all requests that were under way together: their complaints have one cause. */
    slowDown: (restMs: number, askedAt: number) => {
      const now = performance.now();
      if (askedAt >= slowedAt) {
        const seen = Math.min(gapMs.longest, (countedMs / Math.max(1, answersLately(now))) * margin);
        gap = Math.max(gap, Math.min(seen, Math.max(gapMs.first, gap * gapGrowth)));
        pause = Math.min(gapMs.longest, Math.max(gapMs.first, pause * growth));
        slowedAt = now;
      }
      nextAt = Math.max(nextAt, now + Math.max(restMs, gap, pause));
    },
    speedUp: () => {
      const now = performance.now();
      answersLately(now);
      answeredAt.push(now);
      pause = 0;
      gap = gap * decay < gapMs.least ? 0 : gap * decay;
    },
  };
};

/**
 * Slows requests down when a node complains that there are too many: the request is repeated for a while after the pause
 * that the node asks for, and the requests after it keep a gap. A fault that asks for a rest widens the gap too, and is
 * not repeated.
 */
export const createThrottle = () => {
  const { enter, leave } = createSlots();
  const { wait, slowDown, speedUp } = createGap();

  /** Tells whether a request that failed is to be repeated at the same node. */
  const isRepeated = (error: unknown, askedAt: number, firstAt: number) => {
    if (!(error instanceof NodeFault)) return false;
    if (error.kind === 'busy' || error.restMs > 0) slowDown(error.restMs, askedAt);
    return error.kind === 'busy' && performance.now() - firstAt < insistMs;
  };
  const repeat = async <T>(until: number, ask: () => Promise<T>): Promise<T> => {
    for (let firstAt: number | null = null; ; ) {
      await wait(until);
      const askedAt = performance.now();
      firstAt ??= askedAt;
      try {
        const answer = await ask();
        speedUp();
        return answer;
      } catch (error) {
        if (!isRepeated(error, askedAt, firstAt)) throw error;
      }
    }
  };

  return async <T>(until: number, ask: () => Promise<T>): Promise<T> => {
    await enter();
    try {
      return await repeat(until, ask);
    } finally {
      leave();
    }
  };
};
