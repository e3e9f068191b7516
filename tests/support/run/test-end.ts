import { patient } from './tier.js';

/** Time-out of mocha for a test or a hook that sets none. */
const usualMs = 180_000;

/** Share of a time-out after which waiting ends, so that a test fails with its own reason and not with mocha's. */
const share = 0.95;

let end: number | null = null;

/** Records when mocha ends the test that begins; `null` after the test, since each hook has its own timeout. */
export const noteTest = (timeoutMs: number | null) => {
  end = timeoutMs === null ? null : Date.now() + timeoutMs * share;
};

/** Time until which the running test or hook may wait. */
export const testEnd = (): number => end ?? Date.now() + patient(usualMs) * share;
