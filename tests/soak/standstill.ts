import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Home } from '../support/engines/engines.js';

/** Blocks appends to an embedded event store while `act` runs; with another event store it only runs `act`. */
export const whileNothingIsStored = async (home: Home, act: () => Promise<unknown>): Promise<void> => {
  if ('EVENTSTORE_URL' in home.environment) return void (await act());
  const db = new DatabaseSync(join(home.directory, 'events.db'), { timeout: 60_000 });
  try {
    db.exec('BEGIN IMMEDIATE');
    await act();
    db.exec('ROLLBACK');
  } finally {
    db.close();
  }
};
