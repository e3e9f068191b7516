import assert from 'node:assert/strict';
import type { Chain } from '../../../../application/ports/chain.js';
import { checkBody, checkReceipts } from '../../../../infrastructure/chains/evm/checked-block.js';
import { evmChain } from '../../../../infrastructure/chains/evm/connector.js';
import { createPace } from '../../../../infrastructure/pace.js';
import { blockAnswer, receiptAnswers } from '../../../support/chains/evm-answers.js';
import { anna, bert, evmFixture, token } from '../../../support/chains/evm-fixture.js';
import { startEvmNode } from '../../../support/chains/evm-node.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

describe('the EVM connector', () => {
  const { node, connect, keep } = evmFixture();
  /** Subscribes to signals of new heads. */
  const listen = (chain: Chain) => {
    const stopping = new AbortController();
    const hints = chain.hints(stopping.signal)[Symbol.asyncIterator]();
    return { next: () => hints.next(), stop: () => stopping.abort(), leave: () => hints.return?.() };
  };

  it('returns the highest head of all nodes', async () => {
    const { chain } = node();
    const ahead = keep(await startEvmNode({ chain }));
    // Repeats the request, because the connector does not wait for the higher head if its node is much slower.
    const highest = (connector: Chain) => eventually(async () => assert.equal((await connector.head()).number, 5));
    for (let i = 0; i < 5; i++) chain.mine();
    node().faults.lag = 3;
    for (const urls of [
      [node().url, ahead.url],
      [ahead.wsUrl, node().wsUrl],
    ])
      await highest(await connect(urls));
  });
  it('ignores a head that the chain cannot have reached, unless no other node has reported one', async () => {
    const { chain } = node();
    for (let i = 0; i < 5; i++) chain.mine();
    const liar = keep(await startEvmNode({ chain }));
    liar.lie = (_, answer) => ({ ...(answer as object), number: '0xffffffff' });
    const connector = await connect([liar.url, node().url]);
    await eventually(async () => assert.equal((await connector.head()).number, 5));
    chain.mine();
    for (let i = 0; i < 3; i++) assert.equal((await connector.head()).number, 6);
    node().faults.status = 500;
    await assert.rejects(connector.head(), { code: 'NODE_ERROR' });
    assert.equal((await (await connect([liar.url])).head()).number, 0xffff_ffff);
  });
  it('takes no final block from a node that reports one above its own head', async () => {
    const { chain } = node();
    for (let i = 0; i < 70; i++) chain.mine();
    chain.finalDepth = 64;
    const liar = keep(await startEvmNode({ chain }));
    const connector = await connect([liar.url, node().url]);
    await connector.head();
    liar.lie = (_, answer) => ({ ...(answer as object), number: '0xffffffff' });
    assert.equal(await connector.finalized(), 6);
  });
  it('returns heads with parent and time', async () => {
    const { chain } = node();
    const { number, hash, parentHash, time } = chain.mine();
    assert.deepEqual(await (await connect()).head(), { number, hash, parentHash, time });
    assert.equal((await (await connect()).genesis()).hash, chain.at(0)?.hash);
  });
  it('accepts URLs whose scheme includes the chain family', async () => {
    for (const url of [node().url, node().wsUrl])
      assert.equal((await (await connect([`evm+${url}`])).head()).number, 0);
  });
  it('takes the final block from the node, or from the depth if the node does not support the tag', async () => {
    const { chain, faults } = node();
    for (let i = 0; i < 70; i++) chain.mine();
    chain.finalDepth = 3;
    assert.equal(await (await connect()).finalized(), 67);
    faults.noFinalized = true;
    assert.equal(await (await connect()).finalized(), 6);
    const shallow = await evmChain([node().url], silent, { finalDepth: 10 });
    assert.equal(await shallow.finalized(), 60);
    await shallow.close();
  });

  it('signals new heads over WebSocket', async () => {
    const hints = listen(await connect([node().wsUrl]));
    // The first signal comes with the subscription itself, because a head may have been missed before it.
    assert.equal((await hints.next()).done, false);
    for (let i = 0; i < 3; i++) {
      const next = hints.next();
      node().chain.mine();
      assert.equal((await next).done, false);
    }
    const last = hints.next();
    hints.stop();
    assert.equal((await last).done, true);
  });
  it('signals new heads again after the connection was lost', async () => {
    const chain = await connect([node().wsUrl]);
    const hints = listen(chain);
    await hints.next();
    node().disconnect();
    assert.equal((await hints.next()).done, false);
    const next = hints.next();
    node().chain.mine();
    assert.equal((await next).done, false);
    assert.equal((await chain.head()).number, 1);
    await hints.leave();
  });
  it('signals no heads over HTTP, nor once it is closed', async () => {
    for (const url of [node().url, node().wsUrl]) {
      const chain = await connect([url]);
      const hints = listen(chain);
      if (url === node().wsUrl) await hints.next();
      const next = hints.next();
      await chain.close();
      assert.equal((await next).done, true);
    }
  });
  it('sends no more batches to a node that has rejected one', async () => {
    const { chain, faults, messages } = node();
    faults.noBatches = true;
    const connector = await connect();
    const holdings = [anna, bert].map((address) => ({ address, asset: { standard: 'native' } as const }));
    for (let i = 0; i < 3; i++) await connector.balances(holdings, chain.head());
    assert.equal(messages.filter((calls) => calls > 1).length, 1);
  });
  it('yields to other work while it checks a huge block', async () => {
    const data = `0x${'0'.repeat(64)}`;
    const logs = Array.from({ length: 60_000 }, () => ({ address: token, topics: [], data }));
    const block = node().chain.mine([{ from: anna, to: token, logs }]);
    const [answer, receipts] = [blockAnswer(block, true), receiptAnswers(block)];
    let turns = 0;
    let timer = setImmediate(function again() {
      turns++;
      timer = setImmediate(again);
    });
    const pace = createPace();
    await checkReceipts(await checkBody(answer, block.hash, pace), receipts, pace);
    clearImmediate(timer);
    assert(turns > 0, `${turns} turns`);
  });
});
