import assert from 'node:assert/strict';
import { createSuiLedger } from '../../../../infrastructure/chains/development/sui/ledger.js';
import { suiChain } from '../../../../infrastructure/chains/sui/connector.js';
import { impossibleHeight, startSuiNode } from '../../../support/chains/sui-node.js';
import { eventually, forGood, until } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

/** Intervals longer than any test, so that a head from a subscription is used however old it is. */
const untimed = { freshMs: 600_000, pollMs: 600_000, behindMs: 600_000, silenceMs: 600_000 };
const timeouts = { deadlineMs: 60_000, timeoutMs: 20_000 };

describe('a checkpoint of a Sui subscription that the chain cannot have reached', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** Follows the hints of a chain with two nodes, the first of which leaps ahead in its subscription. */
  const subscribe = async () => {
    const ledger = createSuiLedger(Date.now);
    ledger.makeCheckpoint();
    const [leaping, other] = [await startSuiNode(ledger), await startSuiNode(ledger)];
    closing.push(leaping.close, other.close);
    leaping.faults.leaps = true;
    const chain = await suiChain([leaping.url, other.url], silent, { ...timeouts, times: untimed });
    const head = async () => (await chain.followedHead?.()) ?? assert.fail('the chain has no followed head');
    const stop = new AbortController();
    const follow = async () => {
      for await (const _ of chain.hints(stop.signal)) await head();
    };
    const following = follow();
    closing.push(
      chain.close,
      () => following,
      async () => stop.abort(),
    );
    await until('the first node is subscribed to', () => leaping.subscribers() === 1);
    return { ledger, chain, head, leaping, other };
  };

  it('is ignored although no head was polled before, and the next node is subscribed to', async () => {
    const { ledger, chain, head, leaping, other } = await subscribe();
    await eventually(async () => {
      ledger.makeCheckpoint();
      const { number } = await head();
      forGood(() => assert.ok(number <= ledger.height(), `the head is ${number}`));
      assert.equal(other.subscribers(), 1);
    });
    assert.equal(await chain.headerAt(Number(impossibleHeight)), null, 'the checkpoint was stored');
    const requests = () => leaping.calls.of('getCheckpoint') + other.calls.of('getCheckpoint');
    const before = requests();
    const { sequenceNumber } = ledger.makeCheckpoint();
    await eventually(async () => assert.equal((await head()).number, Number(sequenceNumber)));
    assert.equal(requests(), before, 'the head was polled');
  });
});
