import assert from 'node:assert/strict';
import type { Node } from '../../../../application/ports/node.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { hex } from '../../../support/chains/evm-chain.js';
import { eventually } from '../../../support/eventually.js';
import { type LinkedNode, linkedNode } from '../../../support/gateway/linked-nodes.js';
import { memoryAnswers } from '../../../support/gateway/memory-answers.js';
import { silent } from '../../../support/silent.js';

const account = `0x${'a'.repeat(40)}`;

describe('the final answer cache of a gateway of which one node switches to another chain', () => {
  const pools: Node[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  const open = (nodes: Record<string, LinkedNode>) => {
    const memory = memoryAnswers();
    const pool = nodePool(
      Object.keys(nodes).map((host) => `http://${host}`),
      silent,
      false,
      {
        linkTo: ({ host }) => (nodes[host] as LinkedNode).link,
        hedgeMs: 30_000,
        shared: { answers: memory.answers, timeoutMs: 10_000, collectMs: 1 },
      },
    );
    pools.push(pool);
    const isKept = (height: number) => [...memory.kept.keys()].some((key) => key.includes(`"${hex(height)}"`));
    /** Requests blocks until one of them is stored. */
    const untilStored = async (from: number) => {
      const asked: number[] = [];
      await eventually(async () => {
        asked.push(from + asked.length);
        await pool.ask('eth_getBlockByNumber', [hex(asked.at(-1) as number), false]);
        assert.ok(asked.some(isKept));
      });
    };
    return { pool, isKept, untilStored };
  };

  it('stores no answer of that node, even if the other nodes serve the right chain', async () => {
    const [switching, steady] = [linkedNode(1000, 20), linkedNode(1000)];
    for (const { state } of [switching, steady]) state.final = 900;
    const { pool, isKept, untilStored } = open({ switching, steady });
    await untilStored(1);
    switching.state.chainId = '0x2';
    // Makes the slow, switched node the only one with the method. The quick node tells the pool which chain its nodes
    // serve.
    steady.state.lacks = ['eth_getBalance'];
    assert.equal(await pool.ask('eth_getBalance', [account, hex(850)]), hex(850));
    await untilStored(400);
    await eventually(async () => assert.deepEqual(up(pool), [false, true]));
    assert.equal(isKept(850), false);
  });

  it('stores the answers of that node before it switched', async () => {
    const [one, other] = [linkedNode(1000, 20), linkedNode(1000)];
    for (const { state } of [one, other]) state.final = 900;
    const { pool, isKept, untilStored } = open({ one, other });
    await untilStored(1);
    other.state.lacks = ['eth_getBalance'];
    await pool.ask('eth_getBalance', [account, hex(850)]);
    await eventually(async () => assert.ok(isKept(850)));
  });

  const up = (pool: Node) => pool.metrics().members.map(({ isUp }) => isUp);
});
