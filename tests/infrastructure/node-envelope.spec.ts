import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readEnvelope } from '../../infrastructure/node/envelope.js';

const read = (text: string) => readEnvelope(Buffer.from(text));

describe('the envelope of a node’s answer', () => {
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

  it('is found in whichever order and spacing it is written, and the result is not touched', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(...orders), fc.constantFrom('', ' ', '\r\n\t'), (value, order, space) => {
        const found = read(written(value, order, space));
        assert(found && 'result' in found);
        assert.equal(found.id, '7');
        assert.equal(found.result.toString(), value);
      }),
    );
  });
  it('is not mistaken for what its result holds', () => {
    const result = { jsonrpc: '2.0', id: 1, result: { id: 2 }, error: '},"id":3}', a: ['"', '\\', ',"id":4}'] };
    for (const order of orders) {
      const found = read(written(JSON.stringify(result), order, ''));
      assert(found && 'result' in found);
      assert.deepEqual([found.id, JSON.parse(found.result.toString())], ['7', result]);
    }
  });
  it('holds the node’s own error object', () => {
    const error = '{"code":3,"message":"execution reverted","data":"0x08c379a0"}';
    for (const order of orders) {
      const found = read(written(error, order, '', 'error'));
      assert(found && 'error' in found);
      assert.equal(found.error.toString(), error);
    }
  });
  it('may have an empty error beside the result', () => {
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
    it(`is not in ${text || 'nothing'}`, () => assert.equal(read(text), null));
});
