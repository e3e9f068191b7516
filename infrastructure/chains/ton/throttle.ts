import { setTimeout as sleep } from 'node:timers/promises';
import { NodeFault } from '../nodes/node-fault.js';

const atOnce = 8;
const gapMs = { first: 50, longest: 2000, least: 5 };
/** How the gap grows with every complaint, and shrinks with every answer. */
const growth = 2;
const decay = 0.95;

/**
 * Indexes count requests, and say when there were too many. The complaint is heard here: what was asked is asked again
 * when the index will have it, and all that follows is asked more slowly, for a while.
 */
export const createThrottle = () => {
  let gap = 0;
  let nextAt = 0;
  let running = 0;
  const waiting: (() => void)[] = [];

  const enter = async () => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
  };
  const leave = () => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };
  const myTurn = async (until: number) => {
    const now = performance.now();
    const startAt = Math.max(now, nextAt);
    if (startAt > until) throw new NodeFault('late', 'asks for fewer requests than there is time for');
    nextAt = startAt + gap;
    if (startAt > now) await sleep(startAt - now);
  };
  const slowDown = (restMs: number) => {
    gap = Math.min(gapMs.longest, Math.max(gapMs.first, gap * growth));
    nextAt = Math.max(nextAt, performance.now() + Math.max(restMs, gap));
  };
  const speedUp = () => {
    gap = gap * decay < gapMs.least ? 0 : gap * decay;
  };

  return async <T>(until: number, ask: () => Promise<T>): Promise<T> => {
    await enter();
    try {
      for (;;) {
        await myTurn(until);
        try {
          const answer = await ask();
          speedUp();
          return answer;
        } catch (error) {
          if (!(error instanceof NodeFault) || error.kind !== 'busy') throw error;
          slowDown(error.restMs);
        }
      }
    } finally {
      leave();
    }
  };
};
