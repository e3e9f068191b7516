import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCheckpoints, rareAutoCheckpoint } from '../../../infrastructure/sqlite/checkpoints.js';
import { openDatabase } from '../../../infrastructure/sqlite/database.js';
import { until } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';

const rowBytes = 8192;
const rows = 1000;
const mega = 1_000_000;

const open = () => {
  const path = join(freshDirectory(), 'one.db');
  const db = openDatabase(path, 'relaxed');
  db.exec(rareAutoCheckpoint);
  db.exec('CREATE TABLE rows (content BLOB)');
  const insert = db.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      INSERT INTO rows SELECT zeroblob(${rowBytes}) FROM n`,
  );
  const close = () => {
    db.close();
    // Removes the large file, because the search for secrets after the tests would read all of it.
    rmSync(dirname(path), { recursive: true });
  };
  return { path, write: () => insert.run(), close };
};

describe('the write-ahead log of an embedded store', () => {
  it('is checkpointed by a separate thread, and no commit waits for it', async () => {
    const { path, write, close } = open();
    const checkpoints = createCheckpoints(path);
    const before = statSync(path).size;
    write();
    checkpoints.noteCommitted(rows);
    assert.equal(statSync(path).size, before);
    await until('the log is checkpointed', () => statSync(path).size > rows * rowBytes);
    await checkpoints.close();
    close();
  });

  it('stays bounded even without that thread', () => {
    const { path, write, close } = open();
    for (let n = 0; n < 20; n++) write();
    assert.ok(statSync(path).size > 60 * mega);
    assert.ok(statSync(`${path}-wal`).size < 80 * mega);
    close();
  });
});
