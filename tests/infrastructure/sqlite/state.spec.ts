import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { noEntry } from '../../../application/ports/state.js';
import { deadlinesWithin } from '../../../infrastructure/deadlines.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { until } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';

describe('the SQLite state store', () => {
  it('accepts writes of other processes while a backup reads the state from which an entry was destroyed', async () => {
    const path = join(freshDirectory(), 'state.db');
    const store = await sqliteState(path, 'write', deadlinesWithin(60_000));
    const other = await sqliteState(path, 'write', deadlinesWithin(10_000));
    await store.put('vault', 'key', 'secret', noEntry);
    const backup = new DatabaseSync(path);
    backup.exec('BEGIN');
    backup.prepare('SELECT count(*) FROM state').get();
    await Promise.all([store.put('processes', 'lease', 'owner', noEntry), store.destroy('vault', 'key')]);
    assert.equal(await other.put('processes', 'other', 'owner', noEntry), true);
    assert.equal(await store.get('vault', 'key'), null);

    backup.exec('ROLLBACK');
    backup.close();
    await until('the log no longer has the destroyed entry', () => statSync(`${path}-wal`).size === 0);
    await Promise.all([store.close(), other.close()]);
  });
});
