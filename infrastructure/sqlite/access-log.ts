import { existsSync } from 'node:fs';
import {
  type Access,
  type AccessLog,
  maxAccesses,
  type OwnedAccess,
  partOf,
} from '../../application/ports/tracing/access-log.js';
import { type Deadlines, defaultDeadlines } from '../deadlines.js';
import { unavailable } from '../unavailable.js';
import { inTransaction, limitLockWait, mainThreadLockMs, openDatabase, retryWhileLocked } from './database.js';

const schema = `
  PRAGMA cache_size = -1024;
  CREATE TABLE IF NOT EXISTS access (
    number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, part TEXT NOT NULL, time INTEGER NOT NULL, entry TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS access_by_owner ON access (owner, part, number);
  CREATE INDEX IF NOT EXISTS access_by_time ON access (time);`;

type Row = { readonly number: number; readonly entry: string };

const open = (path: string, retentionMs: number, now: () => number) => {
  const db = openDatabase(path, 'relaxed');
  inTransaction(db, () => db.exec(schema));
  limitLockWait(db, mainThreadLockMs);
  const insert = db.prepare('INSERT INTO access (owner, part, time, entry) VALUES (?, ?, ?, ?)');
  const trim = db.prepare(
    `DELETE FROM access WHERE owner = ? AND part = ? AND number <=
      (SELECT number FROM access WHERE owner = ? AND part = ? ORDER BY number DESC LIMIT 1 OFFSET ${maxAccesses})`,
  );
  const expire = db.prepare('DELETE FROM access WHERE time < ?');
  const selectPart = (part: string) =>
    `SELECT * FROM (SELECT number, entry FROM access
      WHERE owner = :owner AND part = '${part}' AND number < :before AND time >= :from ORDER BY number DESC LIMIT :limit)`;
  const select = db.prepare(
    `${selectPart('read')} UNION ALL ${selectPart('refused')} ORDER BY number DESC LIMIT :limit`,
  );
  return {
    add: (accesses: readonly OwnedAccess[]) =>
      inTransaction(db, () => {
        const trimmed = new Map<string, readonly [string, string]>();
        for (const { organizationId, ...access } of accesses) {
          const part = partOf(access.kind);
          insert.run(organizationId, part, access.time, JSON.stringify(access));
          trimmed.set(`${organizationId} ${part}`, [organizationId, part]);
        }
        for (const [owner, part] of trimmed.values()) trim.run(owner, part, owner, part);
        expire.run(now() - retentionMs);
      }),
    list: (...[owner, { from, before, limit }]: Parameters<AccessLog['list']>) => {
      const range = { before: before ?? Number.MAX_SAFE_INTEGER, from: Math.max(from, now() - retentionMs), limit };
      const rows = select.all({ owner, ...range }) as Row[];
      return rows.map(({ number, entry }) => ({ ...(JSON.parse(entry) as Access), number }));
    },
    close: () => db.close(),
  };
};

/**
 * Creates an access log in a file that the processes on a data directory share. Not fsynced: a power failure may lose
 * the last entries.
 */
export const sqliteAccessLog = (
  path: string,
  retentionMs: number,
  { lockMs }: Pick<Deadlines, 'lockMs'> = defaultDeadlines,
  now: () => number = Date.now,
): AccessLog => {
  let store: ReturnType<typeof open> | undefined;
  const opened = () => {
    store ??= open(path, retentionMs, now);
    return store;
  };
  const attempt = <T>(work: () => T): Promise<T> => retryWhileLocked(lockMs, work).catch(unavailable('Access log'));
  return {
    add: (accesses) => attempt(() => opened().add(accesses)),
    list: (organizationId, range) => attempt(() => (existsSync(path) ? opened().list(organizationId, range) : [])),
    close: async () => store?.close(),
  };
};
