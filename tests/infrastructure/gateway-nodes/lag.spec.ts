import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { Node } from '../../../application/ports/node.js';
import type { HeadChannel } from '../../../infrastructure/gateway-nodes/heads/announced-head.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { hex } from '../../support/chains/evm-chain.js';
import { eventually } from '../../support/eventually.js';
import { blockAt, hashAt, type LinkedNode, linkedNode, logAt } from '../../support/gateway/linked-nodes.js';
import { silent } from '../../support/silent.js';

const anna = `0x${'a'.repeat(40)}`;

describe('a gateway whose fast node lags behind a slow one', () => {
  const pools: Node[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  const poolOf = (nodes: Record<string, LinkedNode>, options: Parameters<typeof nodePool>[3] = {}) => {
    const linkTo = ({ host }: URL) => (nodes[host] as LinkedNode).link;
    const urls = Object.keys(nodes).map((host) => `http://${host}`);
    const pool = nodePool(urls, silent, false, { linkTo, hedgeMs: 30_000, ...options });
    pools.push(pool);
    return pool;
  };
  const asking = (pool: Node) => (method: string, params: readonly unknown[]) => pool.ask(method, params);
  /** Opens a pool that saw both nodes at block 100, after which the slow one advanced to block 101. */
  const start = async (options?: Parameters<typeof poolOf>[1]) => {
    const nodes = { quick: linkedNode(100), slow: linkedNode(100, 20) };
    const pool = poolOf(nodes, options);
    // Leaves the slow node as the only source of the head.
    nodes.quick.state.lacks = ['eth_blockNumber'];
    for (let i = 0; i < 3; i++) await pool.ask('eth_getBalance', [anna, '0x1']);
    nodes.slow.state.head = 101;
    return { ...nodes, pool, ask: asking(pool) };
  };
  const startBeside = async () => {
    let hear = (_: number) => {};
    const channel = { announce: () => undefined, listen: (_: string, listener: typeof hear) => (hear = listener) };
    return { ...(await start({ channel })), hear };
  };
  const of101 = [{ fromBlock: hex(101), toBlock: hex(101) }];

  it('returns the logs of a head that it announced', async () => {
    const { ask } = await start();
    assert.equal(await ask('eth_blockNumber', []), hex(101));
    assert.deepEqual(await ask('eth_getLogs', of101), [logAt(101)]);
    assert.deepEqual(await ask('eth_getLogs', [{ fromBlock: hex(101), toBlock: 'latest' }]), [logAt(101)]);
    assert.deepEqual(await ask('eth_getLogs', [{ fromBlock: hex(100), toBlock: hex(101) }]), [logAt(100), logAt(101)]);
  });

  it('returns the logs of a block that only the slow node has, although no head was announced', async () => {
    const { ask } = await start();
    assert.deepEqual(await ask('eth_getLogs', of101), [logAt(101)]);
    assert.deepEqual(await ask('eth_getLogs', [{ fromBlock: hex(100), toBlock: hex(101) }]), [logAt(100), logAt(101)]);
  });

  it('returns no logs of a block that no node has', async () => {
    const { ask } = await start();
    assert.deepEqual(await ask('eth_getLogs', [{ fromBlock: hex(102), toBlock: hex(102) }]), []);
  });

  it('returns state and blocks at "latest" that are not older than a head that it announced', async () => {
    const { ask, pool } = await start();
    assert.equal((await pool.head()).number, 101);
    assert.equal(await ask('eth_getBalance', [anna, 'latest']), hex(101));
    assert.deepEqual(await ask('eth_getBlockByNumber', ['latest', false]), blockAt(101));
    assert.deepEqual(await ask('eth_getBlockByNumber', ['latest', true]), blockAt(101, true));
  });

  it('returns the logs of a head that another process announced', async () => {
    const { ask, quick, hear } = await startBeside();
    hear(101);
    assert.deepEqual(await ask('eth_getLogs', of101), [logAt(101)]);
    assert.equal(await ask('eth_getBalance', [anna, 'latest']), hex(101));
    // A node that has caught up is used again.
    quick.state.head = 102;
    hear(102);
    quick.state.asked.length = 0;
    assert.deepEqual(await ask('eth_getLogs', [{ fromBlock: hex(102), toBlock: hex(102) }]), [logAt(102)]);
  });

  it('ignores heads that another process announces on a chain that its nodes no longer serve', async () => {
    const listeners: ((height: number) => void)[] = [];
    const channel: HeadChannel = {
      announce: () => undefined,
      listen: (_, listener) => listeners.push(listener),
    };
    const { ask, quick, slow } = await start({ channel, recheckMs: 0 });
    assert.equal(await ask('eth_blockNumber', []), hex(101));
    for (const { state } of [quick, slow]) Object.assign(state, { chainId: '0x2', head: 50, lacks: [] });
    await eventually(async () => {
      assert.equal(await ask('eth_blockNumber', []), hex(50));
      assert.equal(listeners.length, 2);
    });
    listeners[0]?.(20_000_001);
    assert.equal(await ask('eth_blockNumber', []), hex(50));
    assert.deepEqual(await ask('eth_getLogs', [{ fromBlock: hex(50), toBlock: 'latest' }]), [logAt(50)]);
  });

  it('announces each head to other processes once', async () => {
    const announced: number[] = [];
    const channel: HeadChannel = { announce: (_, height) => announced.push(height), listen: () => undefined };
    const { ask } = await start({ channel });
    for (let i = 0; i < 3; i++) await ask('eth_blockNumber', []);
    assert.deepEqual(announced, [101]);
  });

  it('fails while a node is unreachable rather than answer with older data than it announced', async () => {
    const { ask, slow, quick } = await start();
    assert.equal(await ask('eth_blockNumber', []), hex(101));
    slow.state.isDown = true;
    quick.state.lacks = [];
    await assert.rejects(ask('eth_getLogs', of101), { code: 'UNAVAILABLE', message: /has block 101/ });
    await assert.rejects(ask('eth_getBlockByNumber', [hex(101), true]), { code: 'UNAVAILABLE', message: /block 101/ });
    await assert.rejects(ask('eth_getBlockByNumber', ['latest', true]), { code: 'UNAVAILABLE', message: /block 101/ });
    assert.equal(await ask('eth_blockNumber', []), hex(101));
    assert.deepEqual(await ask('eth_getLogs', [{ fromBlock: hex(99), toBlock: hex(99) }]), [logAt(99)]);
  });

  it('names the node that it asked when it repeats a head', async () => {
    const { ask, pool, slow, quick } = await start();
    assert.equal(await ask('eth_blockNumber', []), hex(101));
    slow.state.isDown = true;
    quick.state.lacks = [];
    const answer = await pool.answer({ method: 'eth_blockNumber', params: [] });
    assert.equal(answer.source?.node, 0);
  });

  it('does not go back from a head that was sent to subscribers', async () => {
    const { ask, pool, slow, quick } = await start();
    assert.equal((await pool.head()).number, 101);
    slow.state.isDown = true;
    quick.state.lacks = [];
    assert.equal(await ask('eth_blockNumber', []), hex(101));
  });

  it('never goes back from a "latest" block with transactions to an older one without', async () => {
    const { ask, slow } = await start();
    assert.equal(await ask('eth_blockNumber', []), hex(101));
    assert.deepEqual(await ask('eth_getBlockByNumber', ['latest', false]), blockAt(101));
    slow.state.isDown = true;
    assert.deepEqual(await ask('eth_getBlockByNumber', ['latest', false]), blockAt(101));
    await assert.rejects(ask('eth_getBlockByNumber', ['latest', true]), { code: 'UNAVAILABLE' });
  });

  it('does not share an answer that was requested before a head was announced', async () => {
    const { ask, quick, slow, hear } = await startBeside();
    quick.state.turns = 50;
    const before = ask('eth_getLogs', of101);
    // Waits until either node is asked for the logs: it is the slow one if a poll of the heads comes first.
    const isAsked = () => [quick, slow].some(({ state }) => state.asked.includes('eth_getLogs'));
    while (!isAsked()) await turn();
    hear(101);
    assert.deepEqual(await ask('eth_getLogs', of101), [logAt(101)]);
    await before;
  });

  it('asks no node twice for a client that polls heads and logs', async () => {
    const { ask, quick, slow } = await start();
    for (let height = 101; height < 110; height++) {
      for (const { state } of [quick, slow]) state.head = height;
      quick.state.asked.length = 0;
      slow.state.asked.length = 0;
      quick.state.lacks = [];
      assert.equal(await ask('eth_blockNumber', []), hex(height));
      await ask('eth_getLogs', [{ fromBlock: hex(height), toBlock: hex(height) }]);
      const asked = [...quick.state.asked, ...slow.state.asked].filter((method) => method === 'eth_getLogs');
      assert.equal(asked.length, 1);
    }
  });

  it("asks the other node for logs that a block's bloom announces and the fast one denies", async () => {
    const { pool, quick } = await start();
    quick.state.loses = 'logs';
    const terms = { retryIfEmpty: true };
    assert.deepEqual(await pool.ask('eth_getLogs', [{ blockHash: hashAt(50) }], terms), [logAt(50)]);
  });
});

describe('a gateway with one URL that balances nodes of different lag', () => {
  it('requests the block that it announced when the node has an older latest block', async () => {
    const node = linkedNode(101);
    const pool = nodePool(['http://one'], silent, false, { linkTo: () => node.link });
    assert.equal(await pool.ask('eth_blockNumber', []), hex(101));
    const { exchange } = node.link;
    node.link.exchange = (method, params) =>
      exchange(method, method === 'eth_getBlockByNumber' ? params.replace('latest', hex(100)) : params);
    assert.deepEqual(await pool.ask('eth_getBlockByNumber', ['latest', true]), blockAt(101, true));
    await pool.close();
  });
});
