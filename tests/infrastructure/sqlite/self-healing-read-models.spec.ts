import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { selfHealingReadModels } from '../../../infrastructure/sqlite/read-models/self-healing-read-models.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';

describe('self-healing read models', () => {
  it('report a replaced file once, however often the new file cannot be opened', async () => {
    const path = join(freshDirectory(), 'read-models.db');
    const said = { info: 0, warn: 0, error: 0 };
    const count = (level: keyof typeof said) => () => void said[level]++;
    const log = { info: count('info'), warn: count('warn'), error: count('error') };
    const models = await selfHealingReadModels(path, [], log);
    let losses = 0;
    models.onLost?.(() => losses++);
    renameSync(path, `${path}.old`);
    // The folder at the path prevents the store from opening a new file there.
    mkdirSync(path);
    await eventually(async () => assert.ok(said.error >= 2));
    rmdirSync(path);
    await eventually(() => models.checkpoint());
    assert.deepEqual({ losses, warnings: said.warn }, { losses: 1, warnings: 1 });
    await models.close();
  });
});
