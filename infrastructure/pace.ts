import { loopTurn } from './loop-turn.js';

const shareMs = 6;
/** Number of steps between two looks at the clock. */
const steps = 32;

/** Lets other work run whenever a long computation has used its share of time. */
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
