import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createRecent } from '../../interfaces/gateway/recent.js';

const result = '{"hash":"0xé"}';
const answerWith = (repeated?: () => void) => ({ result: Buffer.from(result), ...(repeated && { repeated }) });
const lasting = answerWith(() => undefined);
const textOf = (found: string | null) => (found === null ? null : Buffer.from(found, 'latin1').toString());
const usual = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}`;

describe('answers to what was asked before', () => {
  const keeping = (question: string, answer: Parameters<ReturnType<typeof createRecent>['keep']>[1] = lasting) => {
    const recent = createRecent();
    recent.keep(Buffer.from(question), answer);
    return (text: string) => textOf(recent.find(Buffer.from(text)));
  };

  it('come under the id of who asks, and count', () => {
    let repeated = 0;
    const ask = keeping(
      usual('1'),
      answerWith(() => repeated++),
    );
    for (const id of ['1', '0', '9007199254740993'])
      assert.equal(ask(usual(id)), `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    assert.equal(repeated, 3);
  });

  for (const id of ['01', '1.0', '1e3', '-1', '"1"', 'null', '', '[1]', '1 '])
    it(`are not given for the id ${id}, which is read as ever`, () => {
      assert.equal(keeping(usual('1'))(usual(id)), null);
      assert.equal(keeping(usual(id))(usual('1')), null);
    });

  it('are kept only of what never changes, and of what is short', () => {
    const long = usual('1').replace('[]', `["${'x'.repeat(512)}"]`);
    assert.equal(keeping(usual('1'), answerWith())(usual('1')), null);
    assert.equal(keeping(usual('1'), { error: Buffer.from('{}') })(usual('1')), null);
    assert.equal(keeping(usual('1'), { ...lasting, result: Buffer.alloc(5000, '1') })(usual('1')), null);
    assert.equal(keeping(long)(long), null);
  });

  it('are kept only of plain letters, which nothing that is no text reads like', () => {
    const question = usual('1').replace('[]', '["\ufffd"]');
    assert.equal(keeping(question)(question), null);
  });

  it('are let go of when there are too many', () => {
    const recent = createRecent();
    const question = (i: number) => Buffer.from(usual('1').replace('[]', `[${i}]`));
    for (let i = 0; i <= 500; i++) recent.keep(question(i), lasting);
    assert.equal(recent.find(question(0)), null);
    assert.notEqual(recent.find(question(500)), null);
  });

  const members = [
    (n: number) => `"id":${n}`,
    (n: number) => `"id" :${n}`,
    (n: number) => `"\\u0069d":${n}`,
    (n: number) => `"x\\"id":${n}`,
    (n: number) => `"params":[{"id":${n}}]`,
    (n: number) => `"params":["\\"id\\":${n}"]`,
    (n: number) => `"params":["id",${n}]`,
    () => '"method":"a"',
  ];
  const numbers = fc.array(fc.nat(1), { minLength: 4, maxLength: 4 });
  const two = fc
    .tuple(fc.array(fc.constantFrom(...members), { minLength: 1, maxLength: 4 }), numbers, numbers)
    .map(([written, ...filled]) =>
      filled.map((values) => `{${written.map((write, i) => write(values[i] ?? 0)).join()}}`),
    );
  const readBut = (text: string) => ({ ...JSON.parse(text), id: 0 });

  it('are given only to those who ask the same, however they write it', () => {
    let given = 0;
    fc.assert(
      fc.property(two, ([first = '', second = '']) => {
        const found = keeping(first)(second);
        if (found === null) return;
        given++;
        assert.deepEqual(readBut(second), readBut(first));
        assert.equal(JSON.parse(found).id, JSON.parse(second).id);
      }),
      { numRuns: 20_000 },
    );
    assert.ok(given > 1000, String(given));
  });
});
