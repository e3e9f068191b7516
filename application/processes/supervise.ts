import { createBackoff } from '../async/backoff.js';
import type { System } from '../ports/system.js';

const firstPauseMs = 100;
const maxPauseMs = 5000;

/** Runs a process until the signal fires: logs each failure and restarts the process after pauses that grow. */
export const supervise = async (
  name: string,
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  system: System,
) => {
  const backoff = createBackoff({ firstMs: firstPauseMs, maxMs: maxPauseMs });
  while (!signal.aborted) {
    const started = system.now();
    try {
      await run(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (system.now() - started > maxPauseMs) backoff.reset();
      system.log.error({ process: name, err: error }, 'a process failed and is started again');
      await system.sleep(backoff.next(), signal);
    }
  }
};
