import { loopTurn } from './loop-turn.js';

const shareMs = 6;
/** Number of steps between two readings of the clock. */
const steps = 32;

/**
 * Creates a pacer, which splits a long computation into parts of 6 ms: when `isDue` returns true, the caller awaits
 * `breathe`, which lets other work run.
 */
export const createPace = () => {
  let since = performance.now();
  let taken = 0;
  return {
    isDue: () => ++taken % steps === 0 && performance.now() - since > shareMs,
    breathe: async () => {
      await loopTurn();
      since = performance.now();
    },
  };
};

export type Pace = ReturnType<typeof createPace>;
