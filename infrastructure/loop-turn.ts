const waiting: (() => void)[] = [];

const startNext = () => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
};

/**
 * Waits for a turn of the event loop that no other long computation uses. Parts of several computations in one turn would
 * block all other requests for too long.
 */
export const loopTurn = (): Promise<void> =>
  new Promise((start) => {
    waiting.push(start);
    if (waiting.length === 1) setImmediate(startNext);
  });
