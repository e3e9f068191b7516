import { patient } from './tier.js';

/** Time-out of mocha for a test or a hook that sets none. */
const usualMs = 180_000;

/** Share of a time-out after which waiting ends, so that a test fails with its own reason and not with mocha's. */
const share = 0.95;

type Test = { timeout(): number };
let running: { readonly test: Test; readonly startedMs: number } | null = null;

/** Records the test that begins; `null` after it, since each hook has its own timeout. */
export const noteTest = (test: Test | null) => {
  running = test && { test, startedMs: Date.now() };
};

/** Time until which the running test or hook may wait. The timeout is read late, because a test may set it in its body. */
export const testEnd = (): number =>
  running ? running.startedMs + running.test.timeout() * share : Date.now() + patient(usualMs) * share;
