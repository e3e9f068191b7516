import assert from 'node:assert/strict';
import { checkNamedTests } from '../../support/docs/held-by.js';
import { readPage } from '../../support/docs/markdown.js';

describe('docs/audit.md', () => {
  it('names a test for each attack that somebody could make on a history', () => {
    const section = readPage('docs/audit.md').find(({ anchor }) => anchor === 'who-could-do-what');
    const rows = section?.tables[0]?.rows ?? [];
    assert.ok(rows.length > 10);
    for (const { who, could, 'held by': held = '' } of rows) checkNamedTests(held, `${who}: ${could}`);
  });
});
