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
const chainIdRequest = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}`;

describe('the cache of recent answers', () => {
  const keeping = (
    question: string,
    answer: Parameters<ReturnType<typeof createRecentAnswers>['keep']>[1] = lasting,
  ) => {
    const recent = createRecentAnswers();
    recent.keep(Buffer.from(question), answer, 1);
    return (text: string) => textOf(recent.find(Buffer.from(text))?.answer ?? null);
  };

  it('answers under the id of the request, and counts a cache hit', () => {
    let repeated = 0;
    const ask = keeping(
      chainIdRequest('1'),
      answerWith(() => ++repeated > 0),
    );
    for (const id of ['1', '0', '9007199254740993'])
      assert.equal(ask(chainIdRequest(id)), `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    assert.equal(repeated, 3);
  });

  it('returns nothing once the nodes serve another chain', () => {
    let isSame = true;
    const ask = keeping(
      chainIdRequest('1'),
      answerWith(() => isSame),
    );
    assert.notEqual(ask(chainIdRequest('1')), null);
    isSame = false;
    assert.equal(ask(chainIdRequest('1')), null);
  });

  for (const id of ['01', '1.0', '1e3', '-1', '"1"', 'null', '', '[1]', '1 '])
    it(`returns nothing for a request with the id ${id}`, () => {
      assert.equal(keeping(chainIdRequest('1'))(chainIdRequest(id)), null);
      assert.equal(keeping(chainIdRequest(id))(chainIdRequest('1')), null);
      assert.equal(keeping(chainIdRequest(id))(chainIdRequest(id)), null);
    });

  it('stores only short answers that never change, to short requests', () => {
    const long = chainIdRequest('1').replace('[]', `["${'x'.repeat(512)}"]`);
    assert.equal(keeping(chainIdRequest('1'), answerWith())(chainIdRequest('1')), null);
    assert.equal(keeping(chainIdRequest('1'), { error: Buffer.from('{}') })(chainIdRequest('1')), null);
    assert.equal(
      keeping(chainIdRequest('1'), { ...lasting, result: Buffer.alloc(5000, '1') })(chainIdRequest('1')),
      null,
    );
    assert.equal(keeping(long)(long), null);
  });

  it('stores no request with the replacement character, which malformed bytes would match', () => {
    const question = chainIdRequest('1').replace('[]', '["\ufffd"]');
    assert.equal(keeping(question)(question), null);
  });

  it('evicts the oldest answers when it is full', () => {
    const recent = createRecentAnswers();
    const question = (i: number) => Buffer.from(chainIdRequest('1').replace('[]', `[${i}]`));
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
