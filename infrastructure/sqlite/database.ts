import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { BadSetting } from '../config.js';

/** `durable`: on disk before a commit returns. `relaxed`: survives kill -9, may lose the last moments on power loss. */
export type Durability = 'durable' | 'relaxed';

const ownerOnly = 0o600;

export type Database = InstanceType<typeof DatabaseSync>;

/**
 * Open databases, held so that none is garbage-collected: the driver would close it even while its statements are in
 * use.
 */
const kept = new Set<Database>();

/** `read` opens the files without changing them. */
export type Access = 'write' | 'read';

/** Opens a database, or creates it, so that other processes may use it at the same time. */
export const openDatabase = (path: string, durability: Durability) => {
  try {
    return open(path, durability);
  } catch (error) {
    throw new BadSetting(`CHAINFOLD_DATA_DIR: ${path} cannot be used: ${(error as Error).message}`, { cause: error });
  }
};

/**
 * Opens a database without writing anything, not even SQLite's files beside it, which exist only while another process
 * has it open.
 */
export const openToRead = (path: string): Database => {
  const isOpenElsewhere = existsSync(`${path}-wal`);
  const db = new DatabaseSync(isOpenElsewhere ? path : `${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  kept.add(db);
  return db;
};

/** Wait for the locks of other processes, which open or create the same database when they start together. */
const openingMs = 5000;

/** Bounds the wait of each later statement for a lock; a store calls this after it has created its tables. */
export const limitLockWait = (db: Database, ms: number) => db.exec(`PRAGMA busy_timeout = ${ms}`);

const locked = 5;
/** The low byte of SQLite's code; the others say why the database is locked, as by a recovery of its log. */
const isLocked = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) % 256 === locked;
const pauseMs = 5;
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);

/**
 * Switches to the write-ahead log. SQLite itself does not wait for the lock when two switch a new file at once. The wait
 * is counted in pauses, so that a process that stood still for long does not give up at its first try.
 */
const useWriteAheadLog = (db: Database): void => {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      db.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isLocked(error) || waitedMs >= openingMs) throw error;
      pause();
    }
  }
};

const open = (path: string, durability: Durability) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    writeFileSync(path, '', { mode: ownerOnly, flag: 'a' });
    chmodSync(path, ownerOnly);
  }
  const db = new DatabaseSync(path, { timeout: 0 });
  kept.add(db);
  useWriteAheadLog(db);
  limitLockWait(db, openingMs);
  db.exec(`PRAGMA synchronous = ${durability === 'durable' ? 'FULL' : 'NORMAL'};
    PRAGMA cache_size = -65536;
    PRAGMA mmap_size = 268435456;`);
  return db;
};

/**
 * LIMIT clause with a parameter. A plain `LIMIT ?` would make SQLite compile the statement anew for every value bound.
 */
export const limitGiven = 'LIMIT ? + 0';

/** Runs the work in one write transaction; on an error it is rolled back and the error thrown. */
export const inTransaction = <T>(db: Database, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite may have rolled back already, for example on a full disk.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
};
