import type { Bucket } from '../../application/ports/state.js';
import { limitLockWait, openDatabase } from './database.js';
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
  const emptyLog = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)');

  const run = (job: StateJob) => {
    if (job.kind === 'destroy') {
      remove.run(job.bucket, job.id);
      // The write-ahead log may still contain the old page.
      emptyLog.all();
      return true;
    }
    const { bucket, id, value, expected } = job;
    const { changes } = expected === 0 ? create.run(bucket, id, value) : replace.run(value, bucket, id, expected);
    return Number(changes) === 1;
  };
  return (jobs) => jobs.map(run);
});
