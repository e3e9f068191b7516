import { setTimeout as sleep } from 'node:timers/promises';

const pollIntervalMs = 5;

/** Polls until the condition is met. Throws if the condition is not met within `ms` milliseconds. */
export const until = async (isSo: () => boolean, ms = 600_000): Promise<void> => {
  const deadline = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`Condition not met within ${ms} ms: ${isSo}`);
    await sleep(pollIntervalMs);
  }
};
