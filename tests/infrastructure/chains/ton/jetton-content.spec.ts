import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beginCell, Cell, Dictionary } from '@ton/core';
import { contentOf } from '../../../../infrastructure/chains/development/ton/jetton.js';
import { describeContent, readContent } from '../../../../infrastructure/chains/ton/jettons/jetton-content.js';

const offChain = (uri: string) => beginCell().storeUint(1, 8).storeStringTail(uri).endCell();
const usd = { name: 'Tether USD', symbol: 'USD₮', decimals: '6' };
const described = { name: 'Tether USD', symbol: 'USD₮', decimals: 6 };

/** Describes content with a host that has one document, and returns the URI that was read. */
const describeWith = async (content: Cell, document: string | null = null) => {
  const asked: string[] = [];
  const found = await describeContent(readContent(content), async (uri) => {
    asked.push(uri);
    return document;
  });
  return { ...found, asked };
};

const chunksOf = (text: string, size: number) => {
  const chunks = Dictionary.empty(Dictionary.Keys.Uint(32), Dictionary.Values.Cell());
  const bytes = Buffer.from(text);
  for (let n = 0; n * size < bytes.length; n++)
    chunks.set(
      n,
      beginCell()
        .storeBuffer(bytes.subarray(n * size, (n + 1) * size))
        .endCell(),
    );
  return beginCell().storeUint(1, 8).storeDict(chunks).endCell();
};
const withValue = (name: string, value: Cell) => {
  const entries = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell());
  entries.set(createHash('sha256').update(name).digest(), value);
  return beginCell().storeUint(0, 8).storeDict(entries).endCell();
};

describe('the content of a jetton', () => {
  it('is read from the chain, without a document', async () =>
    assert.deepEqual(await describeWith(contentOf(usd)), { uri: '', description: described, asked: [] }));

  it('is read among many other keys', async () => {
    const others = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`key ${n}`, `value ${n}`]));
    assert.deepEqual((await describeWith(contentOf({ ...others, ...usd }))).description, described);
  });

  it('is read from the document that it links to', async () => {
    const uri = `https://host.example/${'long/'.repeat(100)}usd.json`;
    const { asked, ...found } = await describeWith(offChain(uri), JSON.stringify({ ...usd, image: 'x' }));
    assert.deepEqual([asked, found], [[uri], { uri, description: described }]);
  });

  it('takes precedence over the document if both have a field', async () => {
    const content = contentOf({ uri: 'https://host.example/', symbol: 'OWN' });
    const { description } = await describeWith(content, JSON.stringify({ ...usd, symbol: 'OTHER' }));
    assert.deepEqual(description, { ...described, symbol: 'OWN' });
  });

  it('is taken from the chain while the document cannot be read', async () => {
    const content = contentOf({ uri: 'https://host.example/', symbol: 'OWN' });
    for (const document of [null, '', 'no JSON', '7', '"text"', 'null'])
      assert.deepEqual((await describeWith(content, document)).description, { symbol: 'OWN' }, String(document));
  });

  it('has nine decimals by default', async () => {
    assert.deepEqual((await describeWith(contentOf({ symbol: 'NINE' }))).description, { symbol: 'NINE', decimals: 9 });
    const { description } = await describeWith(offChain('https://host.example/'), '{"symbol":"NINE"}');
    assert.deepEqual(description, { symbol: 'NINE', decimals: 9 });
    assert.deepEqual((await describeWith(offChain('https://host.example/'), '{}')).description, {});
  });

  it('is read in chunks', async () => {
    const name = 'a name in several chunks';
    const { description } = await describeWith(withValue('name', chunksOf(name, 5)));
    assert.deepEqual(description, { name, decimals: 9 });
  });

  it('is truncated and sanitized', async () => {
    const { description } = await describeWith(
      contentOf({ name: `${'😀'.repeat(300)}`, symbol: 'A\0B', decimals: '256' }),
    );
    assert.deepEqual(description, { name: '😀'.repeat(200), symbol: 'AB', decimals: 9 });
    const hostile = JSON.stringify({ name: 5, symbol: '\ud800x', decimals: -1 });
    const { description: sanitized } = await describeWith(offChain('https://host.example/'), hostile);
    assert.deepEqual(sanitized, { symbol: '\ufffdx', decimals: 9 });
    assert.equal((await describeWith(offChain(`https://host.example/${'x'.repeat(20_000)}`))).uri, '');
  });

  it('is empty if it is malformed', async () => {
    const cells = [
      beginCell().endCell(),
      beginCell().storeUint(7, 8).endCell(),
      beginCell().storeUint(0, 8).endCell(),
      beginCell().storeUint(0, 8).storeBit(1).storeRef(beginCell().endCell()).endCell(),
      withValue('name', beginCell().endCell()),
      withValue('name', beginCell().storeUint(9, 8).endCell()),
      withValue('name', beginCell().storeUint(1, 8).storeBit(1).endCell()),
    ];
    for (const cell of cells) assert.deepEqual((await describeWith(cell)).description, {}, cell.toString());
  });

  it('is read quickly even if every key of a dictionary leads to the same cells', async () => {
    // Builds a leaf and, above it, one fork for each bit of the key. Both sides of each fork are the same cell.
    let below = beginCell()
      .storeUint(0, 2)
      .storeRef(beginCell().storeUint(0, 8).storeStringTail('BOMB').endCell())
      .endCell();
    for (let bit = 0; bit < 256; bit++) below = beginCell().storeUint(0, 2).storeRef(below).storeRef(below).endCell();
    const content = beginCell().storeUint(0, 8).storeBit(1).storeRef(below).endCell();
    const { description } = await describeWith(Cell.fromBase64(content.toBoc().toString('base64')));
    assert.deepEqual(description, { name: 'BOMB', symbol: 'BOMB' });
  });
});
