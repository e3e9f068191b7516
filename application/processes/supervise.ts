import type { System } from '../ports/system.js';

const firstPauseMs = 100;
const longestPauseMs = 5000;

/** Keeps a process going until the signal: what fails is logged and started again, ever more patiently. */
export const supervise = async (
  name: string,
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  system: System,
) => {
  let pause = firstPauseMs;
  while (!signal.aborted) {
    const started = system.now();
    try {
      await run(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (system.now() - started > longestPauseMs) pause = firstPauseMs;
      system.log.error({ process: name, err: error }, 'a process failed and is started again');
      await system.sleep(pause, signal);
      pause = Math.min(pause * 2, longestPauseMs);
    }
  }
};
