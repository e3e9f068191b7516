import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Node } from '../../../../application/ports/node.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { digestOf, hex } from '../../../support/chains/evm-chain.js';
import { hashAt, logAt } from '../../../support/gateway/linked-nodes.js';
import { silent } from '../../../support/silent.js';

const [head, final, fork, maxBlocks] = [100, 50, 90, 4];

type Branch = {
  readonly name: string;
  readonly turns: number;
  /** Returns whether the node fails to return the logs of the block at a height. */
  fails(height: number): boolean;
};

/** Makes a node with its own branch from block 90 on, which returns the logs of at most four blocks per request. */
const nodeOn = ({ name, turns, fails }: Branch) => {
  const hashOn = (height: number) => (height < fork ? hashAt(height) : digestOf(name, height));
  const heightOf = (block: unknown) => ({ latest: head, finalized: final })[String(block)] ?? Number(block);
  const logs = ({ fromBlock, toBlock }: Record<string, unknown>) => {
    const [from, to] = [heightOf(fromBlock), heightOf(toBlock)];
    if (to - from >= maxBlocks) return { error: { code: -32_005, message: 'query returned more than 10000 results' } };
    if (fails(from)) return { error: { code: -32_603, message: 'internal error' } };
    const heights = Array.from({ length: to - from + 1 }, (_, place) => from + place);
    return { result: heights.map((height) => ({ ...logAt(height), blockHash: hashOn(height) })) };
  };
  const answers: Record<string, (params: readonly unknown[]) => { result: unknown } | { error: unknown }> = {
    eth_chainId: () => ({ result: '0x1' }),
    eth_blockNumber: () => ({ result: hex(head) }),
    eth_getBlockByNumber: ([block]) => ({ result: { number: hex(heightOf(block)), hash: hashOn(heightOf(block)) } }),
    eth_getLogs: ([filter]) => logs(filter as Record<string, unknown>),
  };
  const exchange = async (method: string, params: string) => {
    for (let i = 0; i < turns; i++) await turn();
    const [[kind, value]] = Object.entries(answers[method]?.(JSON.parse(params)) ?? {}) as [[string, unknown]];
    return { id: '1', [kind]: Buffer.from(JSON.stringify(value)) } as never;
  };
  return { hashOn, link: { exchange, close: async () => undefined } };
};

describe('logs in pieces from nodes on two branches', () => {
  const pools: Node[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  const open = async (fails: Record<'quick' | 'slow', Branch['fails']>) => {
    const nodes = {
      quick: nodeOn({ name: 'quick', turns: 0, fails: fails.quick }),
      slow: nodeOn({ name: 'slow', turns: 20, fails: fails.slow }),
    };
    const linkTo = ({ host }: URL) => nodes[host as keyof typeof nodes].link;
    const pool = nodePool(['http://quick', 'http://slow'], silent, false, { linkTo, hedgeMs: 30_000 });
    pools.push(pool);
    for (let i = 0; i < 3; i++) await pool.ask('eth_blockNumber', []);
    const read = async (from: number) =>
      (await pool.ask('eth_getLogs', [{ fromBlock: hex(from), toBlock: hex(head) }])) as { blockHash: string }[];
    return { nodes, pool, read };
  };
  const hashesOn = ({ hashOn }: ReturnType<typeof nodeOn>, from: number) =>
    Array.from({ length: head - from + 1 }, (_, place) => hashOn(from + place));

  it('come from one branch, even if the node that is asked first fails on one piece', async () => {
    const { nodes, read } = await open({ quick: (height) => height > 96, slow: () => false });
    // Reads twice: at the second read, the pool knows how many blocks the nodes accept in a request, and therefore
    // reads pieces concurrently.
    for (let i = 0; i < 2; i++)
      assert.deepEqual(
        (await read(85)).map(({ blockHash }) => blockHash),
        hashesOn(nodes.slow, 85),
      );
  });

  it('are rejected if no node has all of them', async () => {
    const { read } = await open({ quick: (height) => height > 96, slow: (height) => height > 90 && height <= 96 });
    await assert.rejects(read(85), { message: /reorg replaced blocks/ });
  });

  it('come from any node up to the final block, and name all of their nodes', async () => {
    const { pool } = await open({ quick: (height) => height > 30, slow: (height) => height <= 30 });
    const filter = { fromBlock: hex(21), toBlock: hex(40) };
    const answer = await pool.answer({ method: 'eth_getLogs', params: [filter] });
    assert('result' in answer);
    assert.equal(JSON.parse(Buffer.from(answer.result).toString()).length, 20);
    assert.deepEqual([answer.source?.node, answer.source?.others], [0, [1]]);
  });
});
