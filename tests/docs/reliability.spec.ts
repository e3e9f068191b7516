import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { checkNamedTests } from '../support/docs/held-by.js';

const page = readFileSync('docs/reliability.md', 'utf8');
const rows = [...page.matchAll(/^\| ([DRWCSGON]\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| (.+) \|$/gm)].map(
  ([, id = '', injected = '', hold = '', holds = '', where = '']) => ({ id, injected, hold, holds, where }),
);
const counts = { D: 14, R: 19, W: 17, C: 12, S: 19, G: 14, O: 7 };

describe('docs/reliability.md', () => {
  it('lists every fault once and in order', () => {
    const expected = Object.entries(counts).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
    );
    const ids = rows.map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id) => !id.startsWith('N')),
      expected,
    );
    const neighbours = ids.filter((id) => id.startsWith('N')).map((id) => Number(id.slice(1)));
    assert.deepEqual(
      neighbours,
      [...new Set(neighbours)].toSorted((a, b) => a - b),
    );
  });

  it('describes the injected fault and the expected behaviour in each row', () => {
    for (const { id, injected, hold } of rows)
      for (const words of [injected, hold]) assert.ok(words.split(' ').length > 2, `${id}: ${words}`);
  });

  it('names only tests that exist', () => {
    assert.ok(checkNamedTests(page, 'docs/reliability.md') > rows.length);
  });

  it('names a test for each guarantee that holds, and a reason for each that does not', () => {
    for (const { id, holds, where } of rows) {
      assert.ok(['yes', 'in part', 'no'].includes(holds), id);
      if (holds === 'yes') assert.match(where, /^`tests\//, id);
      else assert.match(where.replaceAll(/`tests[^*]+\*[^*]+\*[;.]?/g, ''), /\w{3}/, id);
    }
  });
});
