import type { System } from '../../application/ports/system.js';
import { testSystem } from './silent.js';

/** Clock that a test advances. Pauses last at most 5 ms of real time, whatever the clock shows. */
export const movedClock = (start: number) => {
  let now = start;
  const system: System = {
    ...testSystem,
    now: () => now,
    sleep: (ms, signal) => testSystem.sleep(Math.min(ms, 5), signal),
  };
  return {
    system,
    pass: (seconds: number) => {
      now += seconds * 1000;
    },
  };
};
