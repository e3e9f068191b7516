import assert from 'node:assert/strict';
import { type Quirk, quirks } from '../../../infrastructure/chains/evm/quirks/quirks.js';
import { readPage } from '../../support/docs/markdown.js';

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
});

/** Rows of docs/reliability.md by id, each with its verdict and the named tests. */
const reliability = new Map(
  readPage('docs/reliability.md')
    .flatMap(({ tables }) => tables)
    .flatMap(({ rows }) => rows)
    .flatMap(({ '#': id, holds = '', tests = '' }) => (id ? [[id, { holds, tests }] as const] : [])),
);
const idsIn = (text: string): readonly string[] => text.match(/\bN\d+\b/g) ?? [];
const families = { Sui: /chains\/sui\/|families\/[a-z-]*sui/, TON: /chains\/ton\/|families\/[a-z-]*ton/ };

for (const [family, specs] of Object.entries(families))
  describe(`docs/following.md about ${family}`, () => {
    const { lines, tables } =
      readPage('docs/following.md').find(({ title }) => title === `${family}: requests and checks`) ??
      assert.fail(`there is no section about ${family}`);
    /** Table rows, and what operators need: list items with their continuation lines. */
    const needs = lines.join('\n').match(/^- .*(?:\n {2}.*)*/gm) ?? [];
    const guarantees = [
      ...tables.flatMap(({ columns, rows }) => rows.map((row) => [row[columns[0] ?? ''], row[columns.at(-1) ?? '']])),
      ...needs.map((need) => [need, need.slice(need.lastIndexOf('('))]),
    ];

    it('names, for each check, request and need, rows of docs/reliability.md that hold and name tests', () => {
      assert.ok(tables.length >= 2 && needs.length >= 4, 'a table or list is missing');
      for (const [what = '', where = ''] of guarantees) {
        assert.match(where, /^\(?(?:N\d+(?:, )?)+\)?\.?$/, what);
        for (const id of idsIn(where)) {
          const { holds, tests } = reliability.get(id) ?? assert.fail(`there is no row ${id}: ${what}`);
          assert.equal(holds, 'yes', id);
          assert.match(tests, /^`tests\//, id);
        }
      }
    });
    it('names every row of docs/reliability.md with a spec of the family', () => {
      const own = [...reliability].flatMap(([id, { tests }]) => (id.startsWith('N') && specs.test(tests) ? [id] : []));
      assert.ok(own.length >= 5);
      assert.deepEqual(
        own.filter((id) => !idsIn(lines.join()).includes(id)),
        [],
      );
    });
  });
