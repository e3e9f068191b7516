import { ownNow } from './own-time.js';

const pollIntervalMs = 1;

/** Records stalls of the main thread: how long no other task could run, in ms of its own time. */
export const watchStalls = () => {
  const stalls: number[] = [];
  let last = ownNow();
  const look = () => {
    const now = ownNow();
    stalls.push(now - last - pollIntervalMs);
    last = now;
  };
  const timer = setInterval(look, pollIntervalMs);
  return {
    stop: (): readonly number[] => {
      look();
      clearInterval(timer);
      return stalls;
    },
  };
};
