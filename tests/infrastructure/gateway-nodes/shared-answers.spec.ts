import assert from 'node:assert/strict';
import type { SharedStore } from '../../../infrastructure/gateway-nodes/final-answers/shared-store.js';
import { createSharedAnswers } from '../../../infrastructure/gateway-nodes/shared-answers.js';

const mixed = `0x${'aB'.repeat(20)}`;

describe('the answers that callers share', () => {
  const finality = { height: () => 100 };
  const open = () => {
    const shared = createSharedAnswers(1_000_000, finality);
    const asked: string[] = [];
    const ask = async (params: unknown) => {
      const text = JSON.stringify(params);
      const fetch = async () => {
        asked.push(text);
        return { result: Buffer.from(`[${asked.length}]`) };
      };
      await shared.find({ method: 'eth_getLogs', params: [] }, text, { kind: 'height', height: 1 }, fetch);
    };
    return { ask, asked };
  };

  it('are those of the same question, with hex digits in any case', async () => {
    const { ask, asked } = open();
    await ask([{ address: mixed }]);
    await ask([{ address: mixed.toLowerCase() }]);
    await ask([{ address: `0x${mixed.slice(2).toUpperCase()}` }]);
    assert.equal(asked.length, 1);
  });

  const apart: readonly [string, unknown, unknown][] = [
    ['members', [{ address: mixed }], [{ ADDRESS: mixed }]],
    ['members that look like hex', [{ '0xAB': {} }], [{ '0xab': {} }]],
    ['texts', ['Latest'], ['latest']],
    ['texts that end like hex', ['x"0xAB'], ['x"0xab']],
    ['texts that begin like hex', ['0xAB"x'], ['0xab"x']],
  ];
  for (const [what, one, other] of apart)
    it(`are told apart by the case of ${what}`, async () => {
      const { ask, asked } = open();
      await ask(one);
      await ask(other);
      assert.equal(asked.length, 2);
    });

  it('count as hits when another process keeps them', async () => {
    const store = { find: async () => Buffer.from('[1]'), keep: () => undefined } as unknown as SharedStore;
    const shared = createSharedAnswers(1_000_000, finality, { store });
    const fetch = () => assert.fail('a node was asked');
    await shared.find({ method: 'eth_getLogs', params: [] }, '[]', { kind: 'height', height: 1 }, fetch);
    assert.deepEqual(shared.counted, { hits: 1, misses: 0, coalesced: 0 });
  });
});
