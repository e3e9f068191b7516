import assert from 'node:assert/strict';
import { type Decider, decide, fold, type Message } from '../../../domain/decider.js';
import type { FailureCode } from '../../../domain/failure.js';

/**
 * Creates the function `given` for the tests of a decider: `given(...past).when(command).thenEmits(...events)`.
 */
export const specification =
  <C extends Message, E extends Message, S>(decider: Decider<C, E, S>) =>
  (...past: E[]) => ({
    when: (command: C) => {
      const outcome = () => decide(decider, fold(decider, past), command);
      return {
        thenEmits: (...expected: E[]) => assert.deepEqual(outcome(), expected),
        thenNothing: () => assert.deepEqual(outcome(), []),
        thenRefused: (code: FailureCode, message: string) => assert.throws(outcome, { name: 'Failure', code, message }),
      };
    },
  });
