import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { BadSetting } from '../settings/bad-setting.js';

const waitMs = 500;

/** Returns whether a service was ever started on the directory. */
export const isUsedDirectory = (directory: string) => existsSync(join(directory, 'events.db'));

/**
 * Locks a data directory for one process. The lock fails while a service runs, because the service keeps the read
 * models open. A service that starts later finds the read models locked.
 */
export const lockDirectory = (directory: string): { release(): void } => {
  const db = new DatabaseSync(join(directory, 'read-models.db'), { timeout: waitMs });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    db.close();
    const inUse = /locked/.test((error as Error).message);
    throw new BadSetting(
      `CHAINFOLD_DATA_DIR: ${directory} ${inUse ? 'is in use: stop every service and command on it' : `cannot be used: ${(error as Error).message}`}`,
    );
  }
  return { release: () => db.close() };
};
