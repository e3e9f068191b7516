import { inTransaction, limitLockWait, openDatabase } from '../database.js';
import { serveThread } from '../thread.js';

export type AnswersJob =
  | { readonly kind: 'find'; readonly ids: readonly Uint8Array[] }
  | {
      readonly kind: 'keep';
      readonly answers: readonly { readonly id: Uint8Array; readonly result: Uint8Array; readonly size: number }[];
    };
export type FoundAnswers = readonly (Uint8Array | null)[];

/** Seconds that must pass before a lookup updates an answer's stored time of use again, so that few lookups write. */
const usedSeconds = 60;
const lockMs = 1000;
/** Number of answers that one statement evicts while the cache is at more than twice its size limit. */
const dropped = 100;

const schema = `
  PRAGMA cache_size = -4096;
  CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, used INTEGER NOT NULL, size INTEGER NOT NULL, result BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS answers_by_use ON answers (used, number);
  CREATE TABLE IF NOT EXISTS total (bytes INTEGER NOT NULL);
  INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM total);
  CREATE TRIGGER IF NOT EXISTS answers_come AFTER INSERT ON answers BEGIN
    UPDATE total SET bytes = bytes + new.size;
  END;
  CREATE TRIGGER IF NOT EXISTS answers_go AFTER DELETE ON answers BEGIN
    UPDATE total SET bytes = bytes - old.size;
  END;`;

serveThread<{ path: string; maxBytes: number }, AnswersJob, FoundAnswers>(({ path, maxBytes }) => {
  const db = openDatabase(path, 'relaxed');
  inTransaction(db, () => db.exec(schema));
  limitLockWait(db, lockMs);
  const select = db.prepare('SELECT number, used, result FROM answers WHERE id = ?');
  const use = db.prepare('UPDATE answers SET used = ? WHERE number = ?');
  const insert = db.prepare('INSERT OR IGNORE INTO answers (id, used, size, result) VALUES (?, ?, ?, ?)');
  const bytes = db.prepare('SELECT bytes FROM total');
  const drop = db.prepare(
    `DELETE FROM answers WHERE number IN (SELECT number FROM answers ORDER BY used, number LIMIT ${dropped})`,
  );
  const dropOne = db.prepare(
    'DELETE FROM answers WHERE number = (SELECT number FROM answers ORDER BY used, number LIMIT 1)',
  );
  const seconds = () => Math.floor(Date.now() / 1000);
  const total = () => Number((bytes.get() as { bytes: number }).bytes);

  const find = (id: Uint8Array) => {
    const found = select.get(id) as { number: number; used: number; result: Uint8Array } | undefined;
    if (!found) return null;
    if (seconds() - found.used >= usedSeconds) use.run(seconds(), found.number);
    return found.result;
  };
  const keep = ({ answers }: Extract<AnswersJob, { kind: 'keep' }>) =>
    inTransaction(db, () => {
      for (const { id, result, size } of answers) insert.run(id, seconds(), size, result);
      // Eviction in groups is for a cache that is far above the limit, for example after the limit was lowered.
      while (total() > 2 * maxBytes) drop.run();
      while (total() > maxBytes) dropOne.run();
      return [];
    });
  return (jobs) => jobs.map((job) => (job.kind === 'find' ? job.ids.map(find) : keep(job)));
});
