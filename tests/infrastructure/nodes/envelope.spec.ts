import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readEnvelope, readPieces } from '../../../infrastructure/nodes/json-rpc/envelope.js';

const read = (text: string) => readEnvelope(Buffer.from(text));

describe("the envelope of a node's response", () => {
  const members = (value: string, kind = 'result') => [`"jsonrpc":"2.0"`, `"id":7`, `"${kind}":${value}`];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  const written = (value: string, order: readonly number[], space: string, kind?: string) =>
    `{${order.map((i) => `${space}${members(value, kind)[i]}${space}`).join(',')}}${space}`;

  it('is found in any order and spacing, with the result unchanged', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(...orders), fc.constantFrom('', ' ', '\r\n\t'), (value, order, space) => {
        const found = read(written(value, order, space));
        assert(found && 'result' in found);
        assert.equal(found.id, '7');
        assert.equal(found.result.toString(), value);
      }),
    );
  });
  const filler = (length: number) => [
    `"${'é'.repeat(length)}"`,
    `[${'1,'.repeat(length)}1]`,
    `{"a":"${'}'.repeat(length)}"}`,
    '{"a":',
  ];
  const cuts = fc.array(fc.nat(70_000), { maxLength: 5 }).map((places) => places.toSorted((a, b) => a - b));
  const cut = (bytes: Buffer, places: readonly number[]) =>
    [0, ...places]
      .map((place, i) => bytes.subarray(place, places[i] ?? bytes.length))
      .filter(({ length }) => length > 0);

  it('is the same in any number of chunks, and a long result keeps its chunks', () => {
    let inPieces = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...filler(30), ...filler(30_000)),
        fc.constantFrom(...orders),
        fc.constantFrom('', ' '),
        fc.constantFrom('result', 'error'),
        cuts,
        (value, order, space, kind, places) => {
          const bytes = Buffer.from(written(value, order, space, kind));
          const [found, whole] = [readPieces(cut(bytes, places)), readEnvelope(bytes)];
          if (found && 'result' in found && found.pieces) {
            inPieces++;
            assert.deepEqual(Buffer.concat(found.pieces), found.result);
            assert.deepEqual({ id: found.id, result: found.result }, whole);
          } else assert.deepEqual(found, whole);
        },
      ),
      { numRuns: 1000 },
    );
    assert.ok(inPieces > 40, String(inPieces));
  });
  it('is not confused with the content of its result', () => {
    const result = { jsonrpc: '2.0', id: 1, result: { id: 2 }, error: '},"id":3}', a: ['"', '\\', ',"id":4}'] };
    for (const order of orders) {
      const found = read(written(JSON.stringify(result), order, ''));
      assert(found && 'result' in found);
      assert.deepEqual([found.id, JSON.parse(found.result.toString())], ['7', result]);
    }
  });
  it("holds the node's own error object", () => {
    const error = '{"code":3,"message":"execution reverted","data":"0x08c379a0"}';
    for (const order of orders) {
      const found = read(written(error, order, '', 'error'));
      assert(found && 'error' in found);
      assert.equal(found.error.toString(), error);
    }
  });
  it('may have an empty error next to the result', () => {
    const found = read('{"jsonrpc":"2.0","id":1,"error":null,"result":"0x1"}');
    assert(found && 'result' in found);
    assert.equal(found.result.toString(), '"0x1"');
  });
  for (const text of [
    '',
    '<html>',
    '[]',
    '7',
    'null',
    '{}',
    '{"id":1}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":',
    '{"result":tru}',
  ])
    it(`is not found in ${text || 'an empty text'}`, () => assert.equal(read(text), null));
});
