import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { writePdf } from '../../../../interfaces/cli/audit/statement/pdf.js';
import { bytesOf, coin, line, shownEntries, statementFile } from '../../../support/statements/shown-entries.js';

/** Returns the texts of each page, with the colour in which each is drawn. */
const pagesOf = (pdf: Buffer) => {
  const pages: { readonly text: string; readonly colour: string }[][] = [];
  for (let from = 0; ; ) {
    const start = pdf.indexOf('stream\n', from);
    if (start < 0) return pages;
    const end = pdf.indexOf('\nendstream', start);
    let colour = '';
    const texts: (typeof pages)[number] = [];
    for (const drawn of inflateSync(pdf.subarray(start + 7, end))
      .toString('latin1')
      .split('\n')) {
      if (drawn.endsWith(' scn')) colour = drawn.slice(0, -4);
      const parts = [...drawn.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) =>
        Buffer.from(hex, 'hex').toString('latin1'),
      );
      if (/TJ$/.test(drawn)) texts.push({ text: parts.join(''), colour });
    }
    pages.push(texts);
    from = end + 10;
  }
};
const textOf = (pages: ReturnType<typeof pagesOf>) => pages.flat().map(({ text }) => text);

describe('a statement as PDF', () => {
  it('shows organization, wallet, period, movements and balances', async () => {
    const text = textOf(pagesOf(await bytesOf(writePdf, statementFile(shownEntries(2))))).join('\n');
    for (const expected of [
      'Statement of wallet treasury',
      'Organization: Acme (org_',
      'Period: after 2026-01-01T00:00:00.000Z (block 0) up to 2026-02-01T00:00:00.000Z (block 1000), UTC',
      `Address ${coin.address}`,
      `from 0x${'b'.repeat(40)}  in 0x${'2'.padStart(64, '0')}`,
      '1.000000000000000001 ASSET_TYPE_C',
      'Opening balance',
      'Closing balance',
      'Page 1',
      'Balances with an unexplained amount: 1.',
    ])
      assert.ok(text.includes(expected), expected);
  });

  it('shows an unexplained amount in red with its reasons', async () => {
    const drawn = pagesOf(await bytesOf(writePdf, statementFile(shownEntries(1)))).flat();
    const colourOf = (start: string) => drawn.find(({ text }) => text.trimStart().startsWith(start))?.colour;
    const red = colourOf('balance_drifted: reconciliation found another balance');
    assert.notEqual(red, undefined);
    assert.notEqual(red, colourOf('Opening balance'));
    assert.equal(colourOf('unreadable_block: a block of the period could not be read'), red);
    assert.equal(colourOf('corrected by -0.000007'), red);
    assert.ok(
      drawn.some(({ text, colour }) => text.includes('Unexplained') && text.includes('-0.000007') && colour === red),
    );
  });

  it('numbers its pages and repeats wallet and period on each', async () => {
    const pages = pagesOf(await bytesOf(writePdf, statementFile(shownEntries(100))));
    assert.ok(pages.length > 3);
    for (const [n, page] of pages.entries()) {
      const texts = page.map(({ text }) => text);
      assert.ok(texts.includes(`Page ${n + 1}`));
      if (n > 0) assert.match(texts[0] ?? '', /^Statement of wallet treasury, after 2026-01-01/);
    }
    const transactions = textOf(pages).filter((text) => /in 0x[0-9]{64}$/.test(text));
    assert.equal(new Set(transactions).size, 101);
  });

  it('shows characters that its fonts lack by their codes', async () => {
    const name = 'Kässe “€” 中\u0000😀\ud800';
    const symbol = '@'.repeat(500);
    const entries = [...shownEntries(1), line({ asset: { ...coin, symbol } })];
    const text = textOf(pagesOf(await bytesOf(writePdf, statementFile(entries, name)))).join('\n');
    assert.ok(text.includes('Statement of wallet Kässe'));
    assert.ok(text.includes('[U+4E2D][U+0000][U+1F600][U+D800]'));
    assert.equal(text.match(/@/g)?.length, 8 * symbol.length, 'a long symbol is broken, not cut');
  });

  it('has the same bytes for the same statement', async () => {
    const write = () => bytesOf(writePdf, statementFile(shownEntries(300)));
    assert.ok((await write()).equals(await write()));
  });
});
