import assert from 'node:assert/strict';
import type { SharedStore } from '../../../infrastructure/gateway-nodes/final-answers/shared-store.js';
import { createSharedAnswers } from '../../../infrastructure/gateway-nodes/shared-answers.js';

const mixed = `0x${'aB'.repeat(20)}`;

describe('the answers shared by callers', () => {
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

  it('are those to the same request, with hex digits in any case', async () => {
    const { ask, asked } = open();
    await ask([{ address: mixed }]);
    await ask([{ address: mixed.toLowerCase() }]);
    await ask([{ address: `0x${mixed.slice(2).toUpperCase()}` }]);
    assert.equal(asked.length, 1);
  });

  const distinct: readonly { what: string; one: unknown; other: unknown }[] = [
    { what: 'members', one: [{ address: mixed }], other: [{ ADDRESS: mixed }] },
    { what: 'members that look like hex', one: [{ '0xAB': {} }], other: [{ '0xab': {} }] },
    { what: 'texts', one: ['Latest'], other: ['latest'] },
    { what: 'texts that end like hex', one: ['x"0xAB'], other: ['x"0xab'] },
    { what: 'texts that begin like hex', one: ['0xAB"x'], other: ['0xab"x'] },
  ];
  for (const { what, one, other } of distinct)
    it(`are distinguished by the case of ${what}`, async () => {
      const { ask, asked } = open();
      await ask(one);
      await ask(other);
      assert.equal(asked.length, 2);
    });

  for (const height of ['0x', '', '50', '0x32 ', '0xfg', null])
    it(`are requested again if the height of their block is ${JSON.stringify(height)}`, async () => {
      const shared = createSharedAnswers(1_000_000, finality);
      const call = { method: 'eth_getTransactionByHash', params: [] };
      let asked = 0;
      for (const text of [JSON.stringify({ blockNumber: height }), `{"blockNumber" : ${JSON.stringify(height)}}`]) {
        const fetch = async () => {
          asked++;
          return { result: Buffer.from(text) };
        };
        for (let i = 0; i < 2; i++) await shared.find(call, text, { kind: 'transaction' }, fetch);
      }
      assert.equal(asked, 4);
    });

  it('count as cache hits when another process stored them', async () => {
    const store = { find: async () => Buffer.from('[1]'), keep: () => undefined } as unknown as SharedStore;
    const shared = createSharedAnswers(1_000_000, finality, { store });
    const fetch = () => assert.fail('a node was asked');
    await shared.find({ method: 'eth_getLogs', params: [] }, '[]', { kind: 'height', height: 1 }, fetch);
    assert.deepEqual(shared.counted, { hits: 1, misses: 0, coalesced: 0 });
  });
});
