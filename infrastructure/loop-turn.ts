const waiting: (() => void)[] = [];

const startNext = () => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
};

/**
 * Waits for a turn of the event loop in which no other caller of this function resumes, because several long
 * computations in one turn would delay all other requests.
 */
export const loopTurn = (): Promise<void> =>
  new Promise((start) => {
    waiting.push(start);
    if (waiting.length === 1) setImmediate(startNext);
  });
