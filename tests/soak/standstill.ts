import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Home } from '../support/engines/engines.js';

/**
 * Runs `act`. Until it ends, blocks all appends to an embedded event store; an event store on a server is not blocked.
 */
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
