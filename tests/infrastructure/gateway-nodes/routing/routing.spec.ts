import assert from 'node:assert/strict';
import type { Node, RpcAnswer } from '../../../../application/ports/node.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { type AnsweringNode, startAnsweringNode, throwRpcError } from '../../../support/chains/answering-node.js';
import { silent } from '../../../support/silent.js';

const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const account = `0x${'a'.repeat(40)}`;
const head = { number: '0x400', hash: `0x${'1'.repeat(64)}` };
const well = {
  eth_chainId: () => '0x1',
  eth_getBlockByNumber: ([block]: readonly unknown[]) =>
    block === 'latest' ? head : { number: block, hash: `0x${String(block).slice(2).padStart(64, '0')}` },
};

const logAt = (blockNumber: string) => ({
  address: `0x${'1'.repeat(40)}`,
  topics: [],
  blockNumber,
  blockHash: `0x${'b'.repeat(64)}`,
});

describe('a call that not every node can answer', () => {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const nodeWith = async (answers: Parameters<typeof startAnsweringNode>[0]) => {
    const node = await startAnsweringNode({ ...well, ...answers });
    open.push(node);
    return node;
  };
  /**
   * Makes a pool of two nodes that tries the first node first: a node without a measured latency precedes other nodes.
   */
  const poolOf = (...nodes: readonly AnsweringNode[]) => {
    const pool = nodePool(
      nodes.map(({ url }) => url),
      silent,
      false,
      { hedgeMs: 30_000 },
    );
    open.unshift(pool);
    return pool;
  };
  const ask = async (pool: Node, method: string, ...params: unknown[]) => text(await pool.answer({ method, params }));
  const timesAsked = (node: AnsweringNode, method: string) => node.asked.filter((one) => one.method === method).length;
  const areUp = (pool: Node) => pool.metrics().members.every(({ isUp }) => isUp);

  const refusals: readonly [number, string][] = [
    [-32_000, 'missing trie node 4f2d (path ) state 0x4f2d is not available'],
    [-32_000, 'required historical state unavailable (reexec=128)'],
    [4444, 'pruned history unavailable'],
    [-32_000, 'old data not available due to pruning'],
    [-32_000, 'state at block #16 is pruned'],
    [-32_000, 'distance to target block exceeds maximum proof window'],
    [-32_000, 'project ID does not have access to archive state'],
    [-32_000, 'no state found for block number 16'],
  ];
  for (const [code, message] of refusals)
    it(`goes to a node that has the state once another said "${message}", and the other stays in use`, async () => {
      const pruned = await nodeWith({ eth_getBalance: () => throwRpcError(code, message) });
      const archive = await nodeWith({ eth_getBalance: () => '0x7' });
      const pool = poolOf(pruned, archive);
      for (let height = 0x20; height > 0; height--)
        assert.equal(await ask(pool, 'eth_getBalance', account, `0x${height.toString(16)}`), '"0x7"');
      assert.ok(timesAsked(pruned, 'eth_getBalance') <= 1, `${timesAsked(pruned, 'eth_getBalance')}`);
      assert.ok(areUp(pool));
    });

  it('goes to the node that pruned old states as soon as it is about a newer state', async () => {
    const young = (params: readonly unknown[]) =>
      Number(params[1]) < 0x300 ? throwRpcError(-32_000, 'missing trie node 00') : '0x7';
    const nodes = [await nodeWith({ eth_getBalance: young }), await nodeWith({ eth_getBalance: young })] as const;
    const pool = poolOf(...nodes);
    assert.match(await ask(pool, 'eth_getBalance', account, '0x10'), /missing trie node/);
    const before = nodes.map((node) => timesAsked(node, 'eth_getBalance'));
    assert.deepEqual(before, [1, 1]);
    assert.equal(await ask(pool, 'eth_getBalance', account, '0x350'), '"0x7"');
    // Nodes are asked again for data that all of them lacked, because one of them may have obtained the data since.
    assert.match(await ask(pool, 'eth_getBalance', account, '0x11'), /missing trie node/);
  });

  it('goes to a node that has the block once another answered null for a block far below its own head', async () => {
    const without = ([block]: readonly unknown[]) => (block === 'latest' ? head : null);
    const short = await nodeWith({ eth_getBlockByNumber: without });
    const whole = await nodeWith({});
    const pool = poolOf(short, whole);
    for (let height = 0x20; height > 0; height--) {
      const block = `0x${height.toString(16)}`;
      assert.equal(JSON.parse(await ask(pool, 'eth_getBlockByNumber', block, false)).number, block);
    }
    const askedShort = short.asked.filter(
      ({ method, params }) => method === 'eth_getBlockByNumber' && Number(params[0]) > 0,
    );
    assert.ok(askedShort.length <= 1, `${askedShort.length}`);
  });

  it('goes to a node that has the method once another reported it as unsupported', async () => {
    const lacking = await nodeWith({});
    const able = await nodeWith({ eth_feeHistory: () => ({ oldestBlock: '0x1' }) });
    const pool = poolOf(lacking, able);
    for (let i = 0; i < 10; i++)
      assert.deepEqual(JSON.parse(await ask(pool, 'eth_feeHistory', '0x1', 'latest')), { oldestBlock: '0x1' });
    assert.ok(timesAsked(lacking, 'eth_feeHistory') <= 1);
    assert.ok(areUp(pool));
  });

  it('goes to an unhealthy node when all others lack the data', async () => {
    const discarded = () => throwRpcError(-32_000, 'missing trie node 00');
    const pruned = await nodeWith({ eth_getBalance: discarded });
    const archive = await nodeWith({ eth_getBalance: discarded });
    const pool = poolOf(pruned, archive);
    assert.match(await ask(pool, 'eth_getBalance', account, '0x10'), /missing/);
    archive.answers.eth_getBalance = () => '0x7';
    assert.equal(await ask(pool, 'eth_getBalance', account, '0x10'), '"0x7"');
    archive.answers.eth_feeHistory = () => throwRpcError(-32_005, 'too many requests');
    await ask(pool, 'eth_feeHistory', '0x1', 'latest');
    assert.deepEqual(
      pool.metrics().members.map(({ isUp }) => isUp),
      [true, false],
    );
    assert.equal(await ask(pool, 'eth_getBalance', account, '0xf'), '"0x7"');
  });

  it('is sent whole to the node that returns all logs before it is split', async () => {
    const logs = [logAt('0x1')];
    const narrow = await nodeWith({ eth_getLogs: () => throwRpcError(-32_005, 'block range is too wide') });
    const wide = await nodeWith({ eth_getLogs: () => logs });
    const pool = poolOf(narrow, wide);
    assert.deepEqual(JSON.parse(await ask(pool, 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x40' })), logs);
    assert.equal(timesAsked(wide, 'eth_getLogs'), 1);
  });

  it('is split if every node limits the block range of logs', async () => {
    const some = ([filter]: readonly unknown[]) => {
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      if (Number(toBlock) - Number(fromBlock) >= 16) return throwRpcError(-32_005, 'exceed maximum block range: 16');
      return [logAt(fromBlock)];
    };
    const pool = poolOf(await nodeWith({ eth_getLogs: some }), await nodeWith({ eth_getLogs: some }));
    const found: unknown = JSON.parse(await ask(pool, 'eth_getLogs', { fromBlock: '0x0', toBlock: '0x3f' }));
    assert.deepEqual(found, [logAt('0x0'), logAt('0x10'), logAt('0x20'), logAt('0x30')]);
    assert.ok(areUp(pool));
  });

  it('is not split when its range ends above the newest block, or is empty', async () => {
    for (const message of ['block range extends beyond current head block', 'invalid block range params']) {
      const node = await nodeWith({ eth_getLogs: () => throwRpcError(-32_602, message) });
      const pool = poolOf(node);
      const { message: returned } = JSON.parse(await ask(pool, 'eth_getLogs', { fromBlock: '0x1', toBlock: '0x40' }));
      assert.deepEqual([returned, timesAsked(node, 'eth_getLogs')], [message, 1]);
    }
  });
});
