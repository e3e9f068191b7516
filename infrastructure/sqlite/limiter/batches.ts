import { TimedOut } from '../../deadline.js';
import { unavailable } from '../../unavailable.js';
import { type Database, inTransaction, isLocked, limitLockWait, lockPauseMs, mainThreadLockMs } from '../database.js';

type Task = {
  readonly work: () => unknown;
  /** Time up to which the task waits for a lock, by `performance.now()`. */
  readonly until: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Creates a runner that executes the tasks of one turn of the event loop in one transaction, after a call to `prepare`.
 * While another process holds the lock, tasks are retried for at most `lockMs`. The event loop stays free between the
 * attempts.
 */
export const createBatches = (db: Database, lockMs: number, prepare: () => void) => {
  let tasks: Task[] = [];
  limitLockWait(db, mainThreadLockMs);

  /** Retries tasks after a pause, together with the tasks that arrive during the pause. */
  const repeat = (batch: readonly Task[], cause: unknown) => {
    const now = performance.now();
    for (const { until, reject } of batch) if (until <= now) reject(new TimedOut(lockMs, { cause }));
    tasks = batch.filter(({ until }) => until > now);
    if (tasks.length > 0) setTimeout(flush, lockPauseMs);
  };
  const flush = () => {
    const batch = tasks;
    tasks = [];
    if (batch.length === 0) return;
    try {
      const results = inTransaction(db, () => {
        prepare();
        return batch.map(({ work }) => work());
      });
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as never);
    } catch (error) {
      if (isLocked(error)) return repeat(batch, error);
      for (const { reject } of batch) reject(error);
    }
  };

  return {
    run: <T>(work: () => T): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        tasks.push({ work, until: performance.now() + lockMs, resolve, reject });
        if (tasks.length === 1) setImmediate(flush);
      }).catch(unavailable('Limiter')),
    /**
     * Runs the remaining tasks at shutdown. A task may wait longer for a lock than usual, because the process no longer
     * serves requests.
     */
    finish: () => {
      limitLockWait(db, lockMs);
      flush();
    },
  };
};
