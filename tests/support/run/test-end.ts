import { patient } from './tier.js';

/** Mocha's timeout in ms for a test or a hook that sets none. */
const usualMs = 180_000;

/**
 * Share of a timeout after which waiting ends, so that a test fails with its own error and not with mocha's.
 */
const share = 0.95;

type Test = { timeout(): number };
let running: { readonly test: Test; readonly startedMs: number } | null = null;

/** Records the test that begins. Called with `null` after the test, because a hook has a timeout of its own. */
export const noteTest = (test: Test | null) => {
  running = test && { test, startedMs: Date.now() };
};

/**
 * Returns the time (Unix ms) until which the running test or hook may wait. The time is computed from the current
 * timeout, because a test may change its timeout.
 */
export const testEnd = (): number =>
  running ? running.startedMs + running.test.timeout() * share : Date.now() + patient(usualMs) * share;
