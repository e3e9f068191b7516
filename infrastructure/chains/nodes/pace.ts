import { setImmediate } from 'node:timers/promises';

const shareMs = 6;
/** The clock is only looked at every so many steps. */
const steps = 32;

/** Lets other work run in between whenever a long computation has had its share. */
export const createPace = () => {
  let since = performance.now();
  let taken = 0;
  return {
    isDue: () => ++taken % steps === 0 && performance.now() - since > shareMs,
    breathe: async () => {
      await setImmediate();
      since = performance.now();
    },
  };
};

export type Pace = ReturnType<typeof createPace>;
