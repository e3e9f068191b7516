import type { System } from '../../../application/ports/system.js';
import { NegativeResult } from '../command/command.js';

/**
 * Waits at most `ms` milliseconds until all the named work has ended. Logs the name of work that has not ended by then,
 * and ends the command with exit code 1. Nothing acknowledged is lost: appends are durable, and processes repeat
 * unfinished work.
 */
export const requireEnd = async (
  ms: number,
  work: ReadonlyMap<string, Promise<unknown>>,
  { log, sleep }: Pick<System, 'log' | 'sleep'>,
): Promise<void> => {
  const left = new Set(work.keys());
  const over = new AbortController();
  const all = Promise.all([...work].map(([name, promise]) => promise.finally(() => left.delete(name))));
  await Promise.race([all, sleep(ms, over.signal)]).finally(() => over.abort());
  for (const name of left) log.error({ process: name, waitedMs: ms }, `Process did not stop: ${name}`);
  if (left.size > 0) throw new NegativeResult();
};
