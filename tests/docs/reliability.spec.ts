import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

const page = readFileSync('docs/reliability.md', 'utf8');
const rows = [...page.matchAll(/^\| ([DRWCSGO]\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| (.+) \|$/gm)].map(
  ([, id = '', injected = '', hold = '', holds = '', where = '']) => ({ id, injected, hold, holds, where }),
);
const counts = { D: 14, R: 18, W: 17, C: 12, S: 19, G: 14, O: 7 };

describe('docs/reliability.md', () => {
  it('has every row of the list of faults, once and in order', () => {
    const expected = Object.entries(counts).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
    );
    assert.deepEqual(
      rows.map(({ id }) => id),
      expected,
    );
  });

  it('says in words what is injected and what must hold', () => {
    for (const { id, injected, hold } of rows)
      for (const words of [injected, hold]) assert.ok(words.split(' ').length > 2, `${id}: ${words}`);
  });

  it('names tests that are there', () => {
    const named = [...page.matchAll(/`(tests\/[^`]+\.spec\.ts)`: \*([^*]+)\*/g)];
    assert.ok(named.length > rows.length);
    for (const [, file = '', title = ''] of named) {
      assert.ok(existsSync(file), file);
      assert.ok(readFileSync(file, 'utf8').includes(title), `${file}: ${title}`);
    }
  });

  it('names a test wherever it says that something holds, and the reason wherever it does not', () => {
    for (const { id, holds, where } of rows) {
      assert.ok(['yes', 'in part', 'no'].includes(holds), id);
      if (holds === 'yes') assert.match(where, /^`tests\//, id);
      else assert.match(where.replaceAll(/`tests[^*]+\*[^*]+\*[;.]?/g, ''), /\w{3}/, id);
    }
  });
});
