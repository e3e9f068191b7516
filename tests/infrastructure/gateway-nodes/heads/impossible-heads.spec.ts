import assert from 'node:assert/strict';
import type { Node } from '../../../../application/ports/node.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { hex } from '../../../support/chains/evm-chain.js';
import { eventually } from '../../../support/eventually.js';
import { blockAt, hashAt, type LinkedNode, linkedNode, logAt } from '../../../support/gateway/linked-nodes.js';
import { silent } from '../../../support/silent.js';

const nowSeconds = () => Math.floor(Date.now() / 1000);
const absurd = 0xffff_ffff;
const anna = `0x${'a'.repeat(40)}`;

describe('a gateway with a node that reports a head that the chain cannot have reached', () => {
  const pools: Node[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  const poolOf = (nodes: Record<string, LinkedNode>) => {
    const linkTo = ({ host }: URL) => (nodes[host] as LinkedNode).link;
    const urls = Object.keys(nodes).map((host) => `http://${host}`);
    const pool = nodePool(urls, silent, false, { linkTo, hedgeMs: 30_000 });
    pools.push(pool);
    return pool;
  };
  const nodeAt = (head: number, options: Partial<LinkedNode['state']> = {}) => {
    const node = linkedNode(head);
    Object.assign(node.state, { headTime: nowSeconds(), ...options });
    return node;
  };
  const checkUse = async (pool: Node, head: number) => {
    assert.equal(await pool.ask('eth_blockNumber', []), hex(head));
    assert.equal(await pool.ask('eth_getBalance', [anna, 'latest']), hex(head));
    const latest = (await pool.ask('eth_getBlockByNumber', ['latest', false])) as { readonly hash: string };
    assert.equal(latest.hash, hashAt(head));
    assert.deepEqual(await pool.ask('eth_getLogs', [{ fromBlock: hex(head), toBlock: 'latest' }]), [logAt(head)]);
    assert.equal((await pool.head()).number, head);
  };

  for (const [what, headTime] of [
    ['the present time', () => nowSeconds()],
    ['a time in the far future', () => absurd],
  ] as const)
    it(`uses the other nodes from the start, when that head has ${what}`, async () => {
      const broken = nodeAt(absurd, { headTime: headTime() });
      const pool = poolOf({ broken, right: nodeAt(1_000_000) });
      await checkUse(pool, 1_000_000);
      assert.deepEqual(
        pool.metrics().members.map(({ isUp }) => isUp),
        [false, true],
      );
    });

  it('uses the other nodes when a poll finds that head later, and the node again once its head is possible', async () => {
    const [broken, right] = [nodeAt(1_000_000), nodeAt(1_000_000)];
    const pool = poolOf({ broken, right });
    await checkUse(pool, 1_000_000);
    broken.state.head = absurd;
    await pool.head();
    right.state.head++;
    await eventually(() => checkUse(pool, 1_000_001));
    broken.state.head = 1_000_002;
    await eventually(() => checkUse(pool, 1_000_002));
  });

  it('passes on no answer to a caller with that head', async () => {
    const [broken, right] = [nodeAt(1_000_000), nodeAt(1_000_000)];
    const pool = poolOf({ broken, right });
    await pool.head();
    broken.state.head = absurd;
    for (let i = 0; i < 4; i++) assert.equal(await pool.ask('eth_blockNumber', []), hex(1_000_000));
  });

  it('believes a node that is many blocks ahead of one that is still synchronizing', async () => {
    const old = nowSeconds() - 10 * 365 * 86_400;
    const pool = poolOf({ behind: nodeAt(1000, { headTime: old }), right: nodeAt(26_000_000) });
    assert.equal(await pool.ask('eth_blockNumber', []), hex(26_000_000));
    assert.equal((await pool.head()).number, 26_000_000);
  });

  it('believes the majority if two nodes are as far ahead of a third', async () => {
    const pool = poolOf({ stuck: nodeAt(1000), right: nodeAt(26_000_000), other: nodeAt(26_000_003) });
    assert.equal((await pool.head()).number, 26_000_003);
  });

  it('believes the only node', async () => {
    const pool = poolOf({ only: nodeAt(absurd) });
    assert.equal(await pool.ask('eth_blockNumber', []), hex(absurd));
  });

  it('counts no block as final that is above the head of the node that reports it', async () => {
    const node = nodeAt(1_000_000, { final: absurd });
    const pool = poolOf({ node, other: nodeAt(1_000_000, { final: absurd }) });
    await pool.head();
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await pool.ask('eth_getBlockByNumber', [hex(999_999), false]), {
        ...blockAt(999_999),
        timestamp: hex((node.state.headTime as number) - 12),
      });
    }
    assert.equal(pool.metrics().hits, 0);
  });
});
