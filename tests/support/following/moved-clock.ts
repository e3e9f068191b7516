import type { System } from '../../../application/ports/system.js';
import { testSystem } from '../silent.js';

/** Clock that a test moves; pauses end at once in real time, so that nothing waits for it. */
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
