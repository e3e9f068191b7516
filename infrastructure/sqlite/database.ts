import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { TimedOut, withDeadline } from '../deadline.js';
import type { Deadlines } from '../deadlines.js';
import { BadSetting } from '../settings/bad-setting.js';
import { type PageCache, smallPageCache } from '../settings/memory-budget.js';

/**
 * Durability of a commit. `durable`: the commit is on disk before it returns. `relaxed`: the commit survives `kill -9`,
 * but a power failure may lose the last commits.
 */
export type Durability = 'durable' | 'relaxed';

const ownerOnly = 0o600;

export type Database = InstanceType<typeof DatabaseSync>;

/**
 * Open databases, referenced here so that they are not garbage-collected: the driver would close them even while their
 * statements are in use.
 */
const openDatabases = new Set<Database>();

/** Access mode of a store. `read` opens the files of the store without changing them. */
export type Access = 'write' | 'read';

/** Opens or creates a database that several processes may use at the same time. */
export const openDatabase = (path: string, durability: Durability, pages: PageCache = smallPageCache) => {
  try {
    return open(path, durability, pages);
  } catch (error) {
    throw new BadSetting(`CHAINFOLD_DATA_DIR: ${path} cannot be opened: ${(error as Error).message}`, { cause: error });
  }
};

/**
 * Opens a database read-only. Without a `-wal` file, no process has the database open, so it is opened as immutable and
 * SQLite creates no files next to it.
 */
export const openReadOnly = (path: string): Database => {
  const isOpenElsewhere = existsSync(`${path}-wal`);
  const db = new DatabaseSync(isOpenElsewhere ? path : `${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  openDatabases.add(db);
  return db;
};

/**
 * Maximum wait in ms for locks while a database is opened. Long, because processes that start together open the same
 * database.
 */
const openLockMs = 5000;

/** Limits how long each later statement waits for a lock. A store calls this after it has created its tables. */
export const limitLockWait = (db: Database, ms: number) => db.exec(`PRAGMA busy_timeout = ${ms}`);

const locked = 5;
/** Returns whether an error is SQLITE_BUSY. Compares the low byte, because the higher bits only add a reason. */
export const isLocked = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256 === locked;
const pauseMs = 5;
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);

/**
 * Switches to the write-ahead log. Retries, because SQLite does not wait for the lock when two processes switch a new
 * file at once. The wait is counted in pauses, so that a process that was suspended does not give up after one attempt.
 */
const useWriteAheadLog = (db: Database): void => {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      db.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isLocked(error) || waitedMs >= openLockMs) throw error;
      pause();
    }
  }
};

const open = (path: string, durability: Durability, { cachedBytes, mappedBytes }: PageCache) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    writeFileSync(path, '', { mode: ownerOnly, flag: 'a' });
    chmodSync(path, ownerOnly);
  }
  const db = new DatabaseSync(path, { timeout: 0 });
  openDatabases.add(db);
  useWriteAheadLog(db);
  limitLockWait(db, openLockMs);
  db.exec(`PRAGMA synchronous = ${durability === 'durable' ? 'FULL' : 'NORMAL'};
    PRAGMA cache_size = -${Math.floor(cachedBytes / 1024)};
    PRAGMA mmap_size = ${mappedBytes};`);
  return db;
};

/** Maximum wait in ms for a lock on the main thread: short, because the wait blocks the event loop. */
export const mainThreadLockMs = 20;
/** Pause in ms before a statement on the main thread is retried because the database was locked. */
export const lockPauseMs = 20;

/** Retries work on the main thread while the database is locked. The event loop stays free between the attempts. */
export const retryWhileLocked = async <T>(lockMs: number, work: () => T): Promise<T> => {
  const until = performance.now() + lockMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (performance.now() > until) throw new TimedOut(lockMs, { cause: error });
      await sleep(lockPauseMs);
    }
  }
};

/** Deadlines of a write that a worker thread executes. */
export type WriteDeadlines = Pick<Deadlines, 'deadlineMs' | 'lockMs'>;

/**
 * Limits the wait for a write on a worker thread, which takes long if the disk is slow or another process holds a lock.
 */
export const writtenInTime = <T>(written: Promise<T>, { deadlineMs, lockMs }: WriteDeadlines): Promise<T> => {
  const unlessLocked = written.catch((error: unknown) => {
    throw isLocked(error) ? new TimedOut(lockMs, { cause: error }) : error;
  });
  return withDeadline(unlessLocked, deadlineMs);
};

/** LIMIT clause with a parameter. With a plain `LIMIT ?`, SQLite would recompile the statement for every value. */
export const limitParameter = 'LIMIT ? + 0';

/** Runs the work in one write transaction, which is rolled back if the work throws. */
export const inTransaction = <T>(db: Database, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite may already have rolled back, for example because the disk is full.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
};
