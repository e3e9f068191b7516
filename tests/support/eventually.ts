import assert from 'node:assert/strict';
import { testEnd } from './run/test-end.js';
import { testSystem } from './silent.js';

const [firstPauseMs, maxPauseMs] = [5, 50];

/** Runs an assertion that `eventually` does not retry if it fails, because waiting cannot mend the failure. */
export const forGood = (assertion: () => void): void => {
  try {
    assertion();
  } catch (error) {
    throw Object.assign(error as Error, { isForGood: true });
  }
};
const isForGood = (error: unknown) => (error as { isForGood?: boolean }).isForGood === true;

/** Repeats the check until it passes; throws the last error shortly before mocha would end the test. */
export const eventually = async <T>(check: () => Promise<T> | T): Promise<T> => {
  const end = testEnd();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.2, maxPauseMs)) {
    try {
      return await check();
    } catch (error) {
      if (isForGood(error)) throw error;
      // The property `isLate` distinguishes a condition that did not hold in time from a failed assertion.
      if (Date.now() > end) throw Object.assign(error as Error, { isLate: true });
    }
    await testSystem.sleep(pauseMs);
  }
};

/** Waits until `isSo` returns true. `what` describes the condition in the error. */
export const until = (what: string, isSo: () => Promise<boolean> | boolean): Promise<void> =>
  eventually(async () => assert.ok(await isSo(), `this did not come true: ${what}`));
