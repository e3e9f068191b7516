import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chainFamilies } from '../../domain/variant.js';
import { schemesOf } from '../../infrastructure/chains/families.js';

describe('docs/configuration.md', () => {
  it('lists exactly the node URL schemes that the settings accept', () => {
    const [, section = ''] = readFileSync('docs/configuration.md', 'utf8').split('## Node URLs\n');
    const [table = ''] = section.split('\n## ');
    const rows = table.split('\n').filter((line) => line.startsWith('|'));
    const listed = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, scheme]) => scheme));
    assert.deepEqual(new Set(listed), new Set(schemesOf(chainFamilies)));
  });
});
