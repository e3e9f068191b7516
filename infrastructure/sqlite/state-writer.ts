import type { Bucket } from '../../application/ports/state.js';
import { type Database, inTransaction, limitLockWait, openDatabase } from './database.js';
import { serveThread } from './thread.js';

export type StateJob =
  | {
      readonly kind: 'put';
      readonly bucket: Bucket;
      readonly id: string;
      readonly value: string;
      readonly expected: number;
    }
  | { readonly kind: 'destroy'; readonly bucket: Bucket; readonly id: string };

/** Pause in ms before another attempt to empty a log that readers still use. */
const emptyLogRetryMs = 250;

/**
 * Creates a function that empties the write-ahead log, which may still contain a destroyed entry, as soon as no reader
 * needs the log. Does not wait for readers: SQLite would block all writers meanwhile, and a backup may read for
 * minutes.
 */
const createLogEraser = (db: Database, lockMs: number) => {
  const emptyLog = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  let retry: NodeJS.Timeout | undefined;
  const erase = () => {
    clearTimeout(retry);
    limitLockWait(db, 0);
    const { busy } = emptyLog.get() as { busy: number };
    limitLockWait(db, lockMs);
    if (busy !== 0) retry = setTimeout(erase, emptyLogRetryMs);
  };
  return erase;
};

/**
 * Pause before the next batch, as a fraction of the duration of the last batch. Other processes, which poll for the
 * lock, can take it during the pause.
 */
const restShare = 0.25;

/**
 * Creates the pause before a batch, in which other processes have time to take the lock. There is no pause after an
 * idle time.
 */
const createRest = () => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let [beganAt, endedAt] = [0, 0];
  return {
    begin: () => {
      const remainingMs = endedAt + (endedAt - beganAt) * restShare - performance.now();
      if (remainingMs > 0) Atomics.wait(cell, 0, 0, remainingMs);
      beganAt = performance.now();
    },
    end: () => {
      endedAt = performance.now();
    },
  };
};

serveThread<{ path: string; lockMs: number }, StateJob, boolean>(({ path, lockMs }) => {
  const db = openDatabase(path, 'durable');
  // Deleted content is overwritten, because a destroyed key must not remain in free pages.
  db.exec(`PRAGMA secure_delete = ON;
    CREATE TABLE IF NOT EXISTS state (
      bucket TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (bucket, id)
    );`);
  limitLockWait(db, lockMs);
  const create = db.prepare('INSERT OR IGNORE INTO state VALUES (?, ?, ?, 1)');
  const replace = db.prepare(
    'UPDATE state SET value = ?, revision = revision + 1 WHERE bucket = ? AND id = ? AND revision = ?',
  );
  const remove = db.prepare('DELETE FROM state WHERE bucket = ? AND id = ?');
  const eraseLog = createLogEraser(db, lockMs);
  const rest = createRest();

  const run = (job: StateJob) => {
    if (job.kind === 'destroy') {
      remove.run(job.bucket, job.id);
      return true;
    }
    const { bucket, id, value, expected } = job;
    const { changes } = expected === 0 ? create.run(bucket, id, value) : replace.run(value, bucket, id, expected);
    return Number(changes) === 1;
  };
  return (jobs) => {
    rest.begin();
    const outcomes = inTransaction(db, () => jobs.map(run));
    if (jobs.some(({ kind }) => kind === 'destroy')) eraseLog();
    rest.end();
    return outcomes;
  };
});
