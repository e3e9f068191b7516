import { ownNow } from './own-time.js';

const pollIntervalMs = 1;

/** Records stalls of the main thread: the times in ms during which no other task could run. */
export const watchStalls = () => {
  const stalls: number[] = [];
  let last = ownNow();
  const sample = () => {
    const now = ownNow();
    stalls.push(now - last - pollIntervalMs);
    last = now;
  };
  const timer = setInterval(sample, pollIntervalMs);
  return {
    stop: (): readonly number[] => {
      sample();
      clearInterval(timer);
      return stalls;
    },
  };
};
