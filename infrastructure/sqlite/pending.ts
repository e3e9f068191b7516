import type { PendingTransaction, PendingTransactions } from '../../application/ports/pending.js';
import { type Deadlines, defaultDeadlines } from '../deadlines.js';
import { padded } from '../padded-nonce.js';
import { unavailable } from '../unavailable.js';
import { inTransaction, limitLockWait, mainThreadLockMs, openDatabase, retryWhileLocked } from './database.js';

const scannedAtOnce = 100;

const schema = `
  CREATE TABLE IF NOT EXISTS pending (
    hash TEXT PRIMARY KEY, sender TEXT NOT NULL, nonce TEXT NOT NULL, first_seen INTEGER NOT NULL, told TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS pending_by_sender ON pending (sender, nonce, first_seen, hash);
  CREATE INDEX IF NOT EXISTS pending_by_time ON pending (first_seen, hash);`;

type Row = { hash: string; sender: string; nonce: string; first_seen: number; told: string };

const readRow = ({ hash, sender, nonce, first_seen, told }: Row): PendingTransaction => ({
  hash,
  from: sender,
  nonce: BigInt(nonce),
  firstSeen: first_seen,
  fields: JSON.parse(told) as Record<string, string>,
});

/**
 * Stores pending transactions for all processes on a data directory. Not fsynced, because the nodes report lost
 * transactions again.
 */
export const sqlitePending = async (
  path: string,
  { lockMs }: Pick<Deadlines, 'lockMs'> = defaultDeadlines,
): Promise<PendingTransactions> => {
  const db = openDatabase(path, 'relaxed');
  db.exec(schema);
  limitLockWait(db, mainThreadLockMs);
  const insert = db.prepare('INSERT OR IGNORE INTO pending VALUES (?, ?, ?, ?, ?)');
  const byHash = db.prepare('SELECT * FROM pending WHERE hash = ?');
  const bySender = db.prepare('SELECT * FROM pending WHERE sender = ? ORDER BY nonce, first_seen, hash');
  const byNonce = db.prepare('SELECT * FROM pending WHERE sender = ? AND nonce = ? ORDER BY first_seen, hash');
  const later = db.prepare(
    `SELECT * FROM pending WHERE (first_seen, hash) > (?, ?) ORDER BY first_seen, hash LIMIT ${scannedAtOnce}`,
  );
  const remove = db.prepare('DELETE FROM pending WHERE hash = ?');
  const removeUsed = db.prepare('DELETE FROM pending WHERE sender = ? AND nonce <= ?');
  const removeOld = db.prepare('DELETE FROM pending WHERE first_seen < ?');
  const removeBeyond = db.prepare(
    'DELETE FROM pending WHERE hash IN (SELECT hash FROM pending ORDER BY first_seen DESC, hash DESC LIMIT -1 OFFSET ?)',
  );

  const attempt = <T>(work: () => T): Promise<T> =>
    retryWhileLocked(lockMs, work).catch(unavailable('Store of pending transactions'));
  const write = async <T>(items: readonly T[], each: (item: T) => unknown) => {
    if (items.length > 0) await attempt(() => inTransaction(db, () => items.forEach((item) => void each(item))));
  };

  return {
    add: (transactions) =>
      write(transactions, ({ hash, from, nonce, firstSeen, fields }) =>
        insert.run(hash, from, padded(nonce), firstSeen, JSON.stringify(fields)),
      ),
    find: (hash) =>
      attempt(() => {
        const row = byHash.get(hash) as Row | undefined;
        return row ? readRow(row) : null;
      }),
    listFrom: (sender, nonce) =>
      attempt(() => {
        const rows = nonce === undefined ? bySender.all(sender) : byNonce.all(sender, padded(nonce));
        return (rows as Row[]).map(readRow);
      }),
    scan: (after) => attempt(() => (later.all(after?.firstSeen ?? -1, after?.hash ?? '') as Row[]).map(readRow)),
    forget: (hashes) => write(hashes, (hash) => remove.run(hash)),
    forgetUsed: (used) => write(used, ({ from, nonce }) => removeUsed.run(from, padded(nonce))),
    trim: async (since, most) => {
      await attempt(() =>
        inTransaction(db, () => {
          removeOld.run(since);
          removeBeyond.run(most);
        }),
      );
    },
    close: async () => db.close(),
  };
};
