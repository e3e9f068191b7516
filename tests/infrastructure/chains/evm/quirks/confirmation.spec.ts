import assert from 'node:assert/strict';
import { type Quirk, quirks } from '../../../../../infrastructure/chains/evm/quirks/quirks.js';
import { blockAnswer, receiptAnswers } from '../../../../support/chains/evm-answers.js';
import { createEvmChain, type ScriptedTransaction } from '../../../../support/chains/evm-chain.js';
import {
  anna,
  bert,
  called,
  carl,
  erc20,
  evmFixture,
  interestInAnna,
  paid,
  synced,
  token,
} from '../../../../support/chains/evm-fixture.js';
import { startEvmNode } from '../../../../support/chains/evm-node.js';

describe('a network that deviates from the EVM standard', () => {
  const { node, connect, keep } = evmFixture();
  const countOf = (method: string) => node().asked.filter((asked) => asked === method).length;

  /** Transactions of a block that shows the quirk, for the quirks that an ordinary block does not show. */
  const showing: Readonly<Record<string, readonly ScriptedTransaction[]>> = {
    'bloom without logs': [],
    'system logs outside the bloom': [synced(anna)],
  };
  /** Number of nodes asked for the first and the second block with a quirk, by the value of `askedElsewhere`. */
  const nodesAsked = { always: [2, 2], 'at first': [2, 1], never: [1, 1] };
  for (const [name, { askedElsewhere = 'never' }] of Object.entries(quirks))
    it(`through "${name}" has another node asked as its row says: ${askedElsewhere}`, async () => {
      node().quirks.add(name as Quirk);
      const chain = await connect([node().url, node().wsUrl]);
      const asked: number[] = [];
      for (const from of [bert, carl]) {
        const { hash } = node().chain.mine(showing[name] ?? [paid(from, anna), called(anna), paid(anna, from)]);
        await chain.block(hash, interestInAnna);
        asked.push(countOf('eth_getBlockByHash'));
      }
      assert.deepEqual([asked[0], (asked[1] ?? 0) - (asked[0] ?? 0)], nodesAsked[askedElsewhere]);
    });

  describe('through a state sync', () => {
    it('is not accepted from a node that invents it if another node has the block without it', async () => {
      const { chain } = node();
      const { hash } = chain.mine([{ from: bert, to: anna, value: 5n }]);
      const invented = createEvmChain();
      const liar = keep(await startEvmNode({ chain }));
      const { transactions, ...block } = invented.mine([{ from: bert, to: anna, value: 5n }, synced(anna)]);
      liar.lie = (method, answer) => {
        if (method === 'eth_getBlockByHash')
          return {
            ...blockAnswer({ ...block, hash, transactions }, true),
            logsBloom: (answer as { logsBloom: string }).logsBloom,
          };
        return method === 'eth_getBlockReceipts' ? receiptAnswers({ ...block, hash, transactions }) : answer;
      };
      const read = await (await connect([liar.url, node().url])).block(hash, interestInAnna);
      assert.deepEqual(
        read?.movements.map(({ index }) => index),
        ['native'],
      );
    });
  });

  describe('through gaps between log indexes', () => {
    it('is accepted immediately when all its nodes agreed on an earlier block', async () => {
      node().quirks.add('log numbers with gaps');
      const chain = await connect([node().url, node().wsUrl]);
      for (const asked of [2, 3, 4]) {
        const { hash } = node().chain.mine([paid(bert, anna)]);
        assert.equal((await chain.block(hash, interestInAnna))?.movements.length, 1);
        assert.equal(countOf('eth_getBlockByHash'), asked);
      }
    });
    it('is not accepted from a node that omits one of two equal transfers if another node has both', async () => {
      const twice = {
        from: bert,
        to: token,
        tokens: [1n, 2n].map((value) => ({ asset: erc20, from: bert, to: anna, value })),
      };
      const { hash } = node().chain.mine([twice]);
      const liar = keep(await startEvmNode({ chain: node().chain }));
      liar.lie = (method, answer) =>
        method === 'eth_getBlockReceipts'
          ? (answer as { logs: unknown[] }[]).map((one) => ({ ...one, logs: one.logs.slice(1) }))
          : answer;
      const read = await (await connect([liar.url, node().url])).block(hash, interestInAnna);
      assert.deepEqual(
        read?.movements.map(({ value }) => value),
        ['1', '2'],
      );
    });
  });

  describe('through a bloom without logs', () => {
    it('is accepted from its only node, which is asked once', async () => {
      node().quirks.add('bloom without logs');
      const { hash } = node().chain.mine();
      assert.equal((await (await connect()).block(hash, interestInAnna))?.hash, hash);
      assert.equal(countOf('eth_getBlockByHash'), 1);
    });
    it('is accepted after another URL of the same network was asked', async () => {
      node().quirks.add('bloom without logs');
      const { hash } = node().chain.mine();
      const chain = await connect([node().url, node().wsUrl]);
      assert.equal((await chain.block(hash, interestInAnna))?.hash, hash);
      assert.equal(countOf('eth_getBlockByHash'), 2);
    });
    for (const left of [0, 1])
      it(`is not accepted from a node with ${left} of the last three logs, in receipts without blooms, if another has all`, async () => {
        const { hash } = node().chain.mine([paid(bert, carl), paid(bert, anna)]);
        const liar = keep(await startEvmNode({ chain: node().chain }));
        liar.lie = (method, answer) =>
          method === 'eth_getBlockReceipts'
            ? (answer as { logs: unknown[] }[]).map(({ logs, ...one }, i) => {
                return { ...one, logsBloom: undefined, logs: i === 1 ? logs.slice(0, left) : logs };
              })
            : answer;
        const read = await (await connect([liar.url, node().url])).block(hash, interestInAnna);
        assert.equal(read?.movements.length, 1);
      });
    for (const name of ['bloom of ones', 'no bloom'] as const)
      it(`asks no other node if the quirk is "${name}", which carries no information`, async () => {
        node().quirks.add(name);
        const { hash } = node().chain.mine();
        const chain = await connect([node().url, node().wsUrl]);
        assert.equal((await chain.block(hash, interestInAnna))?.hash, hash);
        assert.equal(countOf('eth_getBlockByHash'), 1);
      });
  });
});
