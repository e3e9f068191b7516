import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { BadSetting } from '../config.js';

/** `durable`: on disk before a commit returns. `relaxed`: survives kill -9, may lose the last moments on power loss. */
export type Durability = 'durable' | 'relaxed';

const ownerOnly = 0o600;

export type Database = InstanceType<typeof DatabaseSync>;

/** The driver closes a database that is garbage, even while its prepared statements are in use; so none becomes garbage. */
const kept = new Set<Database>();

/** Who only looks changes nothing. */
export type Access = 'write' | 'read';

/** Opens, or makes, a database that other processes may use at the same time. */
export const openDatabase = (path: string, durability: Durability, lockMs = 5000) => {
  try {
    return open(path, durability, lockMs);
  } catch (error) {
    throw new BadSetting(`CHAINFOLD_DATA_DIR: ${path} cannot be used: ${(error as Error).message}`);
  }
};

/** Writes nothing, not even the files that SQLite keeps beside a database; there are none where nobody has it open. */
export const openToRead = (path: string): Database => {
  const isOpenElsewhere = existsSync(`${path}-wal`);
  const db = new DatabaseSync(isOpenElsewhere ? path : `${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  kept.add(db);
  return db;
};

const open = (path: string, durability: Durability, lockMs: number) => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) {
    writeFileSync(path, '', { mode: ownerOnly, flag: 'a' });
    chmodSync(path, ownerOnly);
  }
  const db = new DatabaseSync(path, { timeout: lockMs });
  kept.add(db);
  db.exec(`PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability === 'durable' ? 'FULL' : 'NORMAL'};
    PRAGMA cache_size = -65536;
    PRAGMA mmap_size = 268435456;`);
  return db;
};

/** `LIMIT ?` would have SQLite compile the statement again each time it is bound: it plans for the number given. */
export const limitGiven = 'LIMIT ? + 0';

/** Runs the work in one write transaction: all of it is committed, or none and the error goes on. */
export const inTransaction = <T>(db: Database, work: () => T): T => {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may have rolled it back already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
};
