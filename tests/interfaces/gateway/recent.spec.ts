import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createRecentAnswers } from '../../../interfaces/gateway/recent.js';

const result = '{"hash":"0xé"}';
const answerWith = (repeated?: () => boolean) => ({
  result: Buffer.from(result),
  ...(repeated && { recordReuse: repeated }),
});
const lasting = answerWith(() => true);
const textOf = (found: string | null) => (found === null ? null : Buffer.from(found, 'latin1').toString());
const usual = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}`;

describe('the cache of recent answers', () => {
  const keeping = (
    question: string,
    answer: Parameters<ReturnType<typeof createRecentAnswers>['keep']>[1] = lasting,
  ) => {
    const recent = createRecentAnswers();
    recent.keep(Buffer.from(question), answer, 1);
    return (text: string) => textOf(recent.find(Buffer.from(text))?.answer ?? null);
  };

  it('answers under the id of the request, and counts the repetition', () => {
    let repeated = 0;
    const ask = keeping(
      usual('1'),
      answerWith(() => ++repeated > 0),
    );
    for (const id of ['1', '0', '9007199254740993'])
      assert.equal(ask(usual(id)), `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    assert.equal(repeated, 3);
  });

  it('answers no more once the nodes serve another chain', () => {
    let isSame = true;
    const ask = keeping(
      usual('1'),
      answerWith(() => isSame),
    );
    assert.notEqual(ask(usual('1')), null);
    isSame = false;
    assert.equal(ask(usual('1')), null);
  });

  for (const id of ['01', '1.0', '1e3', '-1', '"1"', 'null', '', '[1]', '1 '])
    it(`leaves a request with the id ${id} to be parsed`, () => {
      assert.equal(keeping(usual('1'))(usual(id)), null);
      assert.equal(keeping(usual(id))(usual('1')), null);
      assert.equal(keeping(usual(id))(usual(id)), null);
    });

  it('keeps only short answers that never change, to short questions', () => {
    const long = usual('1').replace('[]', `["${'x'.repeat(512)}"]`);
    assert.equal(keeping(usual('1'), answerWith())(usual('1')), null);
    assert.equal(keeping(usual('1'), { error: Buffer.from('{}') })(usual('1')), null);
    assert.equal(keeping(usual('1'), { ...lasting, result: Buffer.alloc(5000, '1') })(usual('1')), null);
    assert.equal(keeping(long)(long), null);
  });

  it('keeps no question with the replacement character, which malformed bytes would equal', () => {
    const question = usual('1').replace('[]', '["\ufffd"]');
    assert.equal(keeping(question)(question), null);
  });

  it('drops the oldest answers when there are too many', () => {
    const recent = createRecentAnswers();
    const question = (i: number) => Buffer.from(usual('1').replace('[]', `[${i}]`));
    for (let i = 0; i <= 500; i++) recent.keep(question(i), lasting, 1);
    assert.equal(recent.find(question(0)), null);
    for (const kept of [1, 500]) assert.notEqual(recent.find(question(kept)), null);
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

  it('answers only requests that differ in nothing but the id, however they are written', () => {
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
