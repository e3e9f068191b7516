import { setTimeout as sleep } from 'node:timers/promises';

const pollIntervalMs = 5;

/** Polls until the condition is met. */
export const until = async (isSo: () => boolean, ms = 600_000): Promise<void> => {
  const deadline = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`the condition was not met within ${ms} ms: ${isSo}`);
    await sleep(pollIntervalMs);
  }
};
