import assert from 'node:assert/strict';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { hex } from '../../../support/chains/evm-chain.js';
import { blockAt, type LinkedNode, linkedNode } from '../../../support/gateway/linked-nodes.js';
import { silent } from '../../../support/silent.js';
import { startVirtualClock, type VirtualClock } from '../../../support/virtual-clock.js';

const minute = 60_000;

describe('a gateway of which only a node with fewer blocks is left', () => {
  let clock: VirtualClock;
  beforeEach(() => {
    clock = startVirtualClock();
  });
  afterEach(() => clock.stop());

  const open = () => {
    const [first, second] = [linkedNode(200), linkedNode(190)];
    [first.state.final, second.state.final] = [150, 120];
    const nodes: Record<string, LinkedNode> = { first, second };
    const pool = nodePool(['http://first', 'http://second'], silent, false, {
      linkTo: ({ host }) => (nodes[host] as LinkedNode).link,
    });
    /** Asks while the virtual time passes. Resolves to the answer, or to the code of the failure. */
    const ask = async (method: string, ...params: unknown[]): Promise<unknown> => {
      let settled: { readonly answer: unknown } | null = null;
      pool.ask(method, params).then(
        (answer) => (settled = { answer }),
        (error: { code: string }) => (settled = { answer: error.code }),
      );
      assert.ok(await clock.pass(minute / 2, () => settled !== null));
      return (settled as { readonly answer: unknown } | null)?.answer;
    };
    const close = async () => {
      await pool.close();
      await clock.pass(1);
    };
    return { first, second, ask, close };
  };

  it('accepts no lower head after a minute without requests', async () => {
    const { first, ask, close } = open();
    assert.equal(await ask('eth_blockNumber'), hex(200));
    first.state.isDown = true;
    await clock.pass(minute + 1000);
    assert.equal(await ask('eth_blockNumber'), hex(200));
    assert.equal(await ask('eth_getLogs', { fromBlock: hex(195), toBlock: hex(200) }), 'UNAVAILABLE');
    await close();
  });

  it('accepts a lower head once all nodes in use have had fewer blocks for a minute', async () => {
    const { first, ask, close } = open();
    assert.equal(await ask('eth_blockNumber'), hex(200));
    first.state.isDown = true;
    for (let passed = 0; passed < minute; passed += 5000) {
      assert.equal(await ask('eth_blockNumber'), hex(200));
      await clock.pass(5000);
    }
    await clock.pass(minute / 2);
    assert.equal(await ask('eth_blockNumber'), hex(190));
    await close();
  });

  it('starts the minute anew when a node reaches the head again', async () => {
    const { first, ask, close } = open();
    assert.equal(await ask('eth_blockNumber'), hex(200));
    first.state.isDown = true;
    assert.equal(await ask('eth_blockNumber'), hex(200));
    await clock.pass(minute / 2);
    first.state.isDown = false;
    for (let i = 0; i < 5; i++) {
      await clock.pass(5000);
      assert.equal(await ask('eth_blockNumber'), hex(200));
    }
    first.state.isDown = true;
    for (let i = 0; i < 3; i++) {
      await clock.pass(5000);
      assert.equal(await ask('eth_blockNumber'), hex(200));
    }
    await close();
  });

  it('never returns an older finalized block', async () => {
    const { first, ask, close } = open();
    assert.deepEqual(await ask('eth_getBlockByNumber', 'finalized', false), blockAt(150));
    first.state.isDown = true;
    assert.deepEqual(await ask('eth_getBlockByNumber', 'finalized', false), blockAt(150));
    assert.deepEqual(await ask('eth_getBlockByNumber', 'finalized', true), blockAt(150, true));
    await close();
  });

  it('never returns an older finalized block after a node returned one with a malformed height', async () => {
    const { first, ask, close } = open();
    assert.deepEqual(await ask('eth_getBlockByNumber', 'finalized', false), blockAt(150));
    first.state.final = Number.NaN;
    await ask('eth_getBlockByNumber', 'finalized', false);
    first.state.isDown = true;
    assert.deepEqual(await ask('eth_getBlockByNumber', 'finalized', false), blockAt(150));
    await close();
  });
});
