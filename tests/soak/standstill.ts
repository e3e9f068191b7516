import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Home } from '../support/engines.js';

/** Nobody can append meanwhile, and everything else goes on; where the event store is not embedded, so does that. */
export const whileNothingIsStored = async (home: Home, act: () => Promise<unknown>): Promise<void> => {
  if ('EVENTSTORE_URL' in home.environment) return void (await act());
  const db = new DatabaseSync(join(home.directory, 'events.db'), { timeout: 5000 });
  try {
    db.exec('BEGIN IMMEDIATE');
    await act();
    db.exec('ROLLBACK');
  } finally {
    db.close();
  }
};
