import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 5;

/** Looks until it is so. */
export const until = async (isSo: () => boolean, ms = 600_000): Promise<void> => {
  const deadline = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`it is not so within ${ms} ms: ${isSo}`);
    await sleep(lookEveryMs);
  }
};
