import { createBackoff } from '../async/backoff.js';
import type { System } from '../ports/system.js';

const firstPauseMs = 100;
const maxPauseMs = 5000;

/** Runs a process until the signal fires. Logs each failure and restarts the process with exponential backoff. */
export const supervise = async (
  name: string,
  run: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  system: System,
  onFailure: (name: string, error: unknown) => void = () => undefined,
) => {
  const backoff = createBackoff({ firstMs: firstPauseMs, maxMs: maxPauseMs });
  while (!signal.aborted) {
    const started = system.now();
    try {
      await run(signal);
    } catch (error) {
      if (signal.aborted) return;
      onFailure(name, error);
      if (system.now() - started > maxPauseMs) backoff.reset();
      const retryInMs = backoff.next();
      system.log.error({ process: name, retryInMs, err: error }, 'Process failed; restarting');
      await system.sleep(retryInMs, signal);
    }
  }
};
