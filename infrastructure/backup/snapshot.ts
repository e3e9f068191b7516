import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from '@photostructure/sqlite';
import { type Database, openDatabase } from '../sqlite/database.js';
import { ownerOnlyFile, storeFiles } from './manifest.js';

/** Number of database pages that are copied between two turns of the event loop. */
const pagesAtOnce = 2000;

type StoreName = keyof typeof storeFiles;

/** Opens a database and begins a read transaction, throughout which the connection sees the database as it is now. */
const openSnapshot = (path: string): Database => {
  const db = openDatabase(path, 'durable');
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  return db;
};

/**
 * Ends the read transaction explicitly: a closed connection keeps the transaction until its statements are
 * garbage-collected, and the store's write-ahead log cannot be truncated meanwhile.
 */
const closeSnapshot = (db: Database) => {
  if (!db.isOpen) return;
  db.exec('ROLLBACK');
  db.close();
};

/**
 * Opens snapshots of all stores as of the same moment. Writes to the state store are blocked meanwhile, for a few
 * milliseconds: in a backup, process state that is newer than the events would make followers skip transfers, and a
 * vault that is older than the events would lack the keys of some secrets.
 */
const openSnapshots = (directory: string, stores: readonly StoreName[]) => {
  const paths = stores.map((store) => [storeFiles[store], join(directory, storeFiles[store])] as const);
  if (!stores.includes('state'))
    return { time: new Date(), opened: paths.map(([n, p]) => [n, openSnapshot(p)] as const) };
  const lock = openDatabase(join(directory, storeFiles.state), 'durable');
  lock.exec('BEGIN IMMEDIATE');
  try {
    return { time: new Date(), opened: paths.map(([name, path]) => [name, openSnapshot(path)] as const) };
  } finally {
    lock.exec('ROLLBACK');
    lock.close();
  }
};

/** Copies the embedded stores as of one moment, while services keep writing to the stores. Returns that moment. */
export const copyStores = async (directory: string, stores: readonly StoreName[], target: string): Promise<Date> => {
  const { time, opened } = openSnapshots(directory, stores);
  try {
    for (const [name, db] of opened) {
      const copy = join(target, name);
      writeFileSync(copy, '', { mode: ownerOnlyFile, flag: 'wx' });
      await backup(db, copy, { rate: pagesAtOnce });
      closeSnapshot(db);
    }
  } finally {
    for (const [, db] of opened) closeSnapshot(db);
  }
  return time;
};
