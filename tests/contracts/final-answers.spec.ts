import assert from 'node:assert/strict';
import type { FinalAnswers } from '../../application/ports/gateway/final-answers.js';
import { finalAnswers, maxAnswerBytes } from '../support/engines/adapters.js';
import { usePlace } from '../support/engines/places.js';

const chain = '0x1 0xaa';
const bytes = (text: string) => Buffer.from(text);

for (const [adapter, place] of Object.entries(finalAnswers))
  describe(`the cache of final answers on ${adapter}`, () => {
    const { open } = usePlace(place);
    let store: FinalAnswers;
    let other: FinalAnswers;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
    });
    const find = async (question: string, on = chain) => {
      const [found] = await other.find(on, [question]);
      return found && Buffer.from(found).toString();
    };
    const keep = (question: string, result: string | Buffer, on = chain) =>
      store.keep(on, [{ question, result: Buffer.from(result) }]);

    it('is empty at first, and stays empty when given an empty list', async () => {
      await store.keep(chain, []);
      assert.equal(await find('eth_call []'), null);
    });

    it('returns to every process the bytes that another has stored', async () => {
      const result = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      await keep('eth_call []', result);
      assert.deepEqual(Buffer.from((await other.find(chain, ['eth_call []']))[0] ?? []), result);
    });

    it('keeps the answers to different chains and requests apart', async () => {
      await keep('eth_call [1]', 'one');
      await keep('eth_call [1]', 'two', '0x2 0xaa');
      await keep('eth_call [1]', 'three', '0x1 0xbb');
      await keep('eth_call [2]', 'four');
      assert.deepEqual(
        [
          await find('eth_call [1]'),
          await find('eth_call [1]', '0x2 0xaa'),
          await find('eth_call [1]', '0x1 0xbb'),
          await find('eth_call [2]'),
          await find('eth_call [2]', '0x1 0xbb'),
        ],
        ['one', 'two', 'three', 'four', null],
      );
    });

    it('finds many answers at once, in the order of the requests', async () => {
      await Promise.all([keep('eth_call [1]', 'one'), keep('eth_call [3]', 'three')]);
      const found = await other.find(
        chain,
        [3, 2, 1, 3].map((place) => `eth_call [${place}]`),
      );
      assert.deepEqual(
        found.map((one) => one && Buffer.from(one).toString()),
        ['three', null, 'one', 'three'],
      );
    });

    it('keeps the first answer to a request, which is final', async () => {
      await keep('eth_call []', 'one');
      await Promise.all([
        keep('eth_call []', 'two'),
        other.keep(chain, [{ question: 'eth_call []', result: bytes('3') }]),
      ]);
      assert.equal(await find('eth_call []'), 'one');
    });

    it('evicts the oldest answers beyond its byte limit, and rejects a single answer that is too large', async () => {
      const size = maxAnswerBytes / 32;
      const questions = Array.from({ length: 100 }, (_, place) => `eth_call [${place}]`);
      for (const question of questions) await keep(question, Buffer.alloc(size, 1));
      const found = await Promise.all(questions.map(async (question) => (await find(question)) !== null));
      const count = found.filter(Boolean).length;
      assert.ok(count * size <= maxAnswerBytes && count * size > maxAnswerBytes / 2, `${count}`);
      assert.deepEqual(
        found,
        questions.map((_, place) => place >= questions.length - count),
      );
      await keep('eth_call [large]', Buffer.alloc(maxAnswerBytes / 16));
      assert.equal(await find('eth_call [large]'), null);
    });
  });
