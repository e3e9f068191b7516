import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Quirk, quirks } from '../../infrastructure/chains/evm/quirks/quirks.js';
import { readPage } from '../support/docs/markdown.js';

const section = readPage('docs/following.md').find(({ title }) => title === 'Accepted deviations of EVM networks');
const [believed, networks] = section?.tables ?? [];
const asked = { always: 'for each block', 'at first': 'until one block was accepted' };
const names = Object.keys(quirks) as Quirk[];
const seenOn = (network: string) => names.filter((name) => quirks[name].seen.includes(network)).join(', ');

describe('docs/following.md', () => {
  it('lists every quirk that is believed, as the table of the connector has it', () =>
    assert.deepEqual(
      believed?.rows.map((row) => Object.values(row)),
      names.map((name) => {
        const { seen, believed, askedElsewhere } = quirks[name];
        return [name, seen.join(', '), believed, askedElsewhere ? asked[askedElsewhere] : 'no'];
      }),
    ));
  it('lists every network where a quirk was seen, with its quirks and what was tried', () => {
    const rows = networks?.rows ?? [];
    const seen = new Set(names.flatMap((name) => quirks[name].seen));
    assert.deepEqual(
      [...seen].filter((one) => !rows.some(({ network }) => network === one)),
      [],
    );
    for (const { network = '', quirks, tried } of rows) {
      assert.equal(quirks, seenOn(network) || 'none', network);
      assert.ok(['shape', 'simulated', 'real'].includes(tried ?? ''), network);
    }
  });
  it('names only tests that exist', () => {
    const named = [...readFileSync('docs/following.md', 'utf8').matchAll(/`(tests\/[^`]+\.spec\.ts)`: \*([^*]+)\*/g)];
    assert.ok(named.length > 0);
    for (const [, file = '', title = ''] of named)
      assert.ok(readFileSync(file, 'utf8').includes(title), `${file}: ${title}`);
  });
});
