import assert from 'node:assert/strict';
import { strFromU8, unzipSync } from 'fflate';
import { createXlsxFormat } from '../../../../interfaces/cli/audit/statement/xlsx.js';
import {
  bytesOf,
  coin,
  line,
  movement,
  shownEntries,
  statementFile,
} from '../../../support/statements/shown-entries.js';

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#13;', '\r')
    .replaceAll('&amp;', '&');

type ReadCell = { readonly style: string; readonly number?: string; readonly text?: string };
const cellIn = (attributes: string, content = ''): ReadCell => {
  const style = / s="(\d+)"/.exec(attributes)?.[1] ?? '0';
  const [, number] = /<v>(.*)<\/v>/.exec(content) ?? [];
  if (number !== undefined) return { style, number };
  const [, text = ''] = /<t(?: xml:space="preserve")?>([\s\S]*)<\/t>/.exec(content) ?? [];
  return { style, text: unescaped(text) };
};
/** Reads the rows of a worksheet, which are written without spaces between elements. */
const rowsIn = (xml: string) =>
  [...xml.matchAll(/<row>([\s\S]*?)<\/row>/g)].map(([, row = '']) =>
    [...row.matchAll(/<c([^>]*?)(?:\/>|>([\s\S]*?)<\/c>)/g)].map(([, attributes = '', content]) =>
      cellIn(attributes, content),
    ),
  );
const valuesIn = (row: readonly ReadCell[] = []) => row.map(({ number, text }) => number ?? text);

const read = async (entries: Parameters<typeof statementFile>[0], options: { name?: string; rows?: number } = {}) => {
  const bytes = await bytesOf(createXlsxFormat(options.rows), statementFile(entries, options.name));
  const files = Object.fromEntries(Object.entries(unzipSync(bytes)).map(([path, file]) => [path, strFromU8(file)]));
  const names = [...(files['xl/workbook.xml'] ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name);
  const sheet = (number: number) => rowsIn(files[`xl/worksheets/sheet${number}.xml`] ?? '');
  return { bytes, files, names, summary: sheet(1), movements: sheet(2), sheet };
};

describe('a statement as a workbook', () => {
  it('has a summary with the facts and the balances, and a worksheet of movements', async () => {
    const { names, summary, movements } = await read(shownEntries(3));
    assert.deepEqual(names, ['Summary', 'Movements']);
    assert.deepEqual(valuesIn(summary[0]), ['Statement of wallet treasury']);
    assert.equal(valuesIn(summary[4])[0], 'Period');
    assert.equal(summary.length, 5 + 2 + 2);
    assert.equal(movements.length, 1 + 4);
    assert.deepEqual(valuesIn(movements[0]).slice(4, 7), ['time', 'block', 'transaction']);
  });

  it('stores numbers that a spreadsheet keeps exactly as numbers, and longer ones as text', async () => {
    const { summary, movements } = await read(shownEntries(1));
    assert.deepEqual(movements[1]?.[9], { style: '0', text: '1.000000000000000001' });
    assert.deepEqual(movements[1]?.[10], { style: '0', text: '1000000000000000001' });
    assert.deepEqual(movements[1]?.[11], { style: '0', number: '0.000042' });
    assert.deepEqual(movements[1]?.[5], { style: '0', number: '1' });
    assert.deepEqual(summary.at(-1)?.[5], { style: '0', number: '0.5' });
  });

  it('writes the time of a movement as a date', async () => {
    const { movements } = await read([movement(0)]);
    const { number, style } = movements[1]?.[4] ?? assert.fail('no time');
    assert.equal(style, '2');
    assert.equal(Number(number), Date.UTC(2026, 0, 1) / 86_400_000 + 25_569);
  });

  it('marks an unexplained amount and names its reasons', async () => {
    const { summary } = await read(shownEntries(1));
    const [explained, unexplained] = summary.slice(-2);
    assert.deepEqual([explained?.[10]?.style, explained?.[11]?.style], ['0', '0']);
    assert.deepEqual(unexplained?.[10], { style: '3', number: '-0.000007' });
    assert.deepEqual(unexplained?.[11], { style: '3', text: 'unreadable_block balance_drifted' });
    assert.equal(unexplained?.[12]?.text, '-0.000007 at block 77');
  });

  it('shows any text as it is, without formulas, escapes or characters that XML cannot contain', async () => {
    const symbol = '=1+1 <&"> _x0041_ \u0000 \ud800 中 😀';
    const { summary, files } = await read([line({ asset: { ...coin, symbol } })]);
    assert.equal(summary.at(-1)?.[3]?.text, '=1+1 <&"> _x005F_x0041_ \ufffd \ufffd 中 😀');
    assert.ok(!Object.values(files).some((file) => file.includes('<f>')));
  });

  it('continues in another worksheet when one is full', async () => {
    const { names, sheet } = await read(
      Array.from({ length: 7 }, (_, n) => movement(n)),
      { rows: 4 },
    );
    assert.deepEqual(names, ['Summary', 'Movements', 'Movements 2', 'Movements 3']);
    const blocks = [2, 3, 4].map((number) =>
      sheet(number)
        .slice(1)
        .map((row) => row[5]?.number),
    );
    assert.deepEqual(blocks, [['0', '1', '2'], ['3', '4', '5'], ['6']]);
  });

  it('has a heading even without movements and balances', async () => {
    const { movements, summary } = await read([]);
    assert.deepEqual([movements.length, summary.length], [1, 7]);
  });

  it('has the same bytes for the same statement, wherever it is written', async () => {
    const zone = process.env.TZ;
    try {
      process.env.TZ = 'Asia/Tokyo';
      const { bytes } = await read(shownEntries(2000));
      process.env.TZ = 'America/New_York';
      assert.ok((await read(shownEntries(2000))).bytes.equals(bytes));
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
