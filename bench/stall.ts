import { ownNow } from './own-time.js';

const lookEveryMs = 1;

/** Records stalls of the main thread: how long no other task could run, in ms of its own time. */
export const watchStalls = () => {
  const stalls: number[] = [];
  let last = ownNow();
  const look = () => {
    const now = ownNow();
    stalls.push(now - last - lookEveryMs);
    last = now;
  };
  const timer = setInterval(look, lookEveryMs);
  return {
    stop: (): readonly number[] => {
      look();
      clearInterval(timer);
      return stalls;
    },
  };
};
