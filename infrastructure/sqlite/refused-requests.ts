import { existsSync } from 'node:fs';
import { type RefusedRequest, type RefusedRequests, refusalBounds } from '../../application/ports/tracing/requests.js';
import { type Deadlines, defaultDeadlines } from '../deadlines.js';
import { unavailable } from '../unavailable.js';
import { inTransaction, limitLockWait, mainThreadLockMs, openDatabase, retryWhileLocked } from './database.js';

const schema = `
  PRAGMA cache_size = -1024;
  CREATE TABLE IF NOT EXISTS refused (
    number INTEGER PRIMARY KEY, owner TEXT NOT NULL, request_id TEXT NOT NULL, time INTEGER NOT NULL, request TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS refused_by_owner ON refused (owner, number);
  CREATE INDEX IF NOT EXISTS refused_by_id ON refused (request_id, number);
  CREATE INDEX IF NOT EXISTS refused_by_time ON refused (time);
  CREATE TABLE IF NOT EXISTS owners (owner TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;`;

const open = (path: string, { perGroup, groups, retentionMs }: typeof refusalBounds, now: () => number) => {
  const db = openDatabase(path, 'relaxed');
  inTransaction(db, () => db.exec(schema));
  limitLockWait(db, mainThreadLockMs);
  const insert = db.prepare('INSERT INTO refused (owner, request_id, time, request) VALUES (?, ?, ?, ?)');
  const trim = db.prepare(
    `DELETE FROM refused WHERE owner = ? AND number <=
      (SELECT number FROM refused WHERE owner = ? ORDER BY number DESC LIMIT 1 OFFSET ${perGroup})`,
  );
  const use = db.prepare('INSERT OR REPLACE INTO owners SELECT ?, coalesce(max(last), 0) + 1 FROM owners');
  const expire = db.prepare('DELETE FROM refused WHERE time < ?');
  const dropOwners = db.prepare(
    `DELETE FROM owners WHERE owner IN (SELECT owner FROM owners ORDER BY last DESC LIMIT -1 OFFSET ${groups})`,
  );
  const dropRefused = db.prepare('DELETE FROM refused WHERE owner NOT IN (SELECT owner FROM owners)');
  const select = db.prepare('SELECT request FROM refused WHERE request_id = ? AND time >= ? ORDER BY number');
  const add: (...given: Parameters<RefusedRequests['add']>) => void = (refused) =>
    inTransaction(db, () => {
      for (const { group, requests } of refused) {
        for (const one of requests) insert.run(group, one.requestId, one.time, JSON.stringify(one));
        trim.run(group, group);
        use.run(group);
      }
      if (Number(dropOwners.run().changes) > 0) dropRefused.run();
      expire.run(now() - retentionMs);
    });
  return {
    add,
    find: (requestId: string) =>
      (select.all(requestId, now() - retentionMs) as { request: string }[]).map(
        ({ request }) => JSON.parse(request) as RefusedRequest,
      ),
    close: () => db.close(),
  };
};

/**
 * Stores refused requests in a file that the processes on a data directory share. The file is created with the first
 * refusal. Not fsynced: a power failure may lose the last refusals.
 */
export const sqliteRefusedRequests = (
  path: string,
  { lockMs }: Pick<Deadlines, 'lockMs'> = defaultDeadlines,
  now: () => number = Date.now,
): RefusedRequests => {
  let store: ReturnType<typeof open> | undefined;
  const opened = () => {
    store ??= open(path, refusalBounds, now);
    return store;
  };
  const attempt = <T>(work: () => T): Promise<T> =>
    retryWhileLocked(lockMs, work).catch(unavailable('Store of refused requests'));
  return {
    add: (refused) => attempt(() => opened().add(refused)),
    find: (requestId) => attempt(() => (existsSync(path) ? opened().find(requestId) : [])),
    close: async () => store?.close(),
  };
};
