import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ChainFeed, createChainFeed } from '../../../application/gateway/chain-feed.js';
import type { Node } from '../../../application/ports/node.js';
import { readFilter } from '../../../domain/log-filter.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { receiptAnswers } from '../../support/chains/evm-answers.js';
import {
  addressOf,
  createEvmChain,
  type EvmChain,
  type MinedBlock,
  type ScriptedTransaction,
} from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { eventually, until } from '../../support/eventually.js';
import { silent, testSystem } from '../../support/silent.js';

type Log = { blockHash: string; logIndex: string; transactionHash: string; removed: boolean };
type Header = { number: string; hash: string; parentHash: string };

/** Number of random scripts; 20,000 take about an hour. */
const runs = Number(process.env.CHAINFOLD_FEED_RUNS ?? 25);

const everything = readFilter({});
const topic = (digit: number) => `0x${String(digit).repeat(64)}`;
let serial = 0;
const logging = (count = 1): ScriptedTransaction => ({
  from: addressOf(`sender ${serial++}`),
  to: addressOf('contract'),
  logs: Array.from({ length: count }, (_, i) => ({ address: addressOf('contract'), topics: [topic(i)], data: '0x' })),
});

const logsOf = (block: MinedBlock) => receiptAnswers(block).flatMap(({ logs }) => logs as Log[]);
const keyOf = ({ blockHash, logIndex }: Log) => `${blockHash} ${logIndex}`;

/** Applies removals and returns the remaining logs; fails on a log added twice or removed before it is added. */
const applied = (heard: readonly Log[]) => {
  const standing = new Set<string>();
  for (const log of heard) {
    const isThere = standing.has(keyOf(log));
    assert.equal(isThere, log.removed, `${log.removed ? 'removed without being there' : 'added twice'}: ${keyOf(log)}`);
    if (log.removed) standing.delete(keyOf(log));
    else standing.add(keyOf(log));
  }
  return [...standing];
};

describe('the feed of a chain', () => {
  let chain: EvmChain;
  let nodes: EvmNode[];
  let pool: Node;
  let feed: ChainFeed;
  let headers: Header[];
  let logs: Log[];
  let pending: string[];
  let clock = 0;

  const start = async (count: number, over: (node: EvmNode) => string[] = ({ wsUrl, url }) => [wsUrl, url]) => {
    chain = createEvmChain();
    for (let i = 0; i < 5; i++) chain.mine([logging()]);
    nodes = await Promise.all(Array.from({ length: count }, () => startEvmNode({ chain })));
    pool = nodePool(nodes.flatMap(over), silent, false, { hedgeMs: 40, deadlineMs: 30_000 });
    feed = createChainFeed(pool, { ...testSystem, now: () => clock });
    [headers, logs, pending] = [[], [], []];
    await feed.onHeads(({ json }) => headers.push(JSON.parse(json)));
    await feed.onLogs(everything, ({ json }) => logs.push(JSON.parse(json)));
  };
  const stop = async () => {
    await pool.close();
    for (const node of nodes) await node.close();
  };
  afterEach(stop);

  const caughtUp = () =>
    eventually(async () => {
      assert.equal(headers.at(-1)?.hash, chain.head().hash);
      const present = chain.head().transactions.length === 0 || logs.some((log) => log.blockHash === chain.head().hash);
      assert(present);
    });
  /** Checks that each header's parent is the previous header, except at the start of a reorganized branch. */
  const assertLinked = () => {
    for (const [i, { parentHash, number }] of headers.entries())
      if (i > 0 && Number(number) > Number(headers[i - 1]?.number)) assert.equal(parentHash, headers[i - 1]?.hash);
  };
  const canonicalLogs = (from: number) => {
    const found: string[] = [];
    for (let number = from; number <= chain.head().number; number++)
      found.push(...logsOf(chain.at(number) as MinedBlock).map(keyOf));
    return found;
  };

  it('reports heads and logs starting with the first subscription', async () => {
    await start(1);
    const mined = [chain.mine([logging(2)]), chain.mine(), chain.mine([logging()])];
    await caughtUp();
    assert.deepEqual(
      headers.map(({ hash }) => hash),
      mined.map(({ hash }) => hash),
    );
    assert.deepEqual(logs.map(keyOf), mined.flatMap(logsOf).map(keyOf));
    for (const header of headers) assert(!('transactions' in header) && 'logsBloom' in header);
  });
  it('reports a reorganization as geth does: removed logs ascending, then the new ones, and all new heads', async () => {
    await start(1);
    const old = [chain.mine([logging(2)]), chain.mine([logging()])];
    await caughtUp();
    chain.reorganize(2, [[logging()], [logging()], [logging()]]);
    await caughtUp();
    const fresh = [6, 7, 8].map((number) => chain.at(number) as MinedBlock);
    assert.deepEqual(
      headers.map(({ hash }) => hash),
      [...old, ...fresh].map(({ hash }) => hash),
    );
    const reported = (blocks: MinedBlock[], removed: boolean) =>
      blocks.flatMap(logsOf).map((log) => [keyOf(log), removed]);
    assert.deepEqual(
      logs.map((log) => [keyOf(log), log.removed]),
      [...reported(old, false), ...reported(old, true), ...reported(fresh, false)],
    );
  });
  it('reports transactions again that a reorganization made pending once more', async () => {
    await start(1);
    await feed.onPending(({ json }) => pending.push(JSON.parse(json)));
    const [kept, dropped] = [logging(), logging()];
    const { transactions } = chain.mine([kept, dropped]);
    await caughtUp();
    pending.length = 0;
    chain.reorganize(1, [[kept], []]);
    await caughtUp();
    await until('the dropped transaction is reported', () => pending.includes(transactions[1]?.hash ?? ''));
    assert(!pending.includes(transactions[0]?.hash ?? ''));
  });
  it('misses no log while all nodes are unreachable', async () => {
    await start(2);
    chain.mine([logging()]);
    await caughtUp();
    for (const node of nodes) Object.assign(node.faults, { status: 500 });
    for (const node of nodes) node.disconnect();
    for (let i = 0; i < 20; i++) chain.mine([logging()]);
    chain.reorganize(10, [[logging()], [logging()]]);
    for (const node of nodes) node.heal();
    chain.mine();
    await caughtUp();
    assert.deepEqual(applied(logs), canonicalLogs(6));
  });
  it('misses no transaction that is still pending, and reports none twice', async () => {
    await start(2);
    const hold = (...hashes: string[]) => {
      for (const node of nodes) for (const hash of hashes) node.hold(hash);
    };
    const reported = (...hashes: string[]) =>
      eventually(async () => {
        assert.deepEqual(new Set(pending), new Set(hashes));
        assert.equal(pending.length, hashes.length);
      });
    hold(topic(9));
    await feed.onPending(({ json }) => pending.push(JSON.parse(json)));
    hold(topic(1));
    await reported(topic(1));
    for (const { faults, disconnect } of nodes) {
      faults.status = 500;
      disconnect();
    }
    hold(topic(2), topic(3), topic(4));
    for (const node of nodes) node.heal();
    await reported(topic(1), topic(2), topic(3), topic(4));
    nodes[0]?.disconnect();
    hold(topic(5));
    await reported(topic(1), topic(2), topic(3), topic(4), topic(5));
  });
  it('follows nodes without WebSocket by polling', async () => {
    await start(1, ({ url }) => [url]);
    chain.mine([logging()]);
    await caughtUp();
    chain.reorganize(1, [[logging()], [logging()]]);
    await caughtUp();
    assert.deepEqual(applied(logs), canonicalLogs(6));
  });
  it('ignores a node that has lost the logs of a block', async () => {
    await start(2);
    Object.assign((nodes[0] as EvmNode).faults, { droppedLogs: true, losesBlocks: true });
    for (let i = 0; i < 5; i++) chain.mine([logging()]);
    await caughtUp();
    assert.deepEqual(applied(logs), canonicalLogs(6));
  });
  /** Makes the feed read the head, as it does for every new subscriber. */
  const look = () => feed.onHeads(() => undefined);
  const heights = () => headers.map(({ number }) => Number(number));
  it('does not take a lagging node for a reorganization', async () => {
    await start(1);
    (nodes[0] as EvmNode).faults.lag = 2;
    await look();
    nodes[0]?.heal();
    chain.mine([logging()]);
    await caughtUp();
    assert.deepEqual(heights(), [6]);
    assert.deepEqual(applied(logs), canonicalLogs(6));
  });
  it('accepts after a minute that the chain has become shorter', async () => {
    await start(1);
    (nodes[0] as EvmNode).faults.lag = 2;
    await look();
    clock += 60_000;
    await look();
    nodes[0]?.heal();
    chain.mine([logging()]);
    await caughtUp();
    assert.deepEqual(heights(), [3, 4, 5, 6]);
  });
  it('reports a reorganization of all blocks since the first subscription: what it replaced, and the new branch', async () => {
    await start(1);
    const old = [chain.mine([logging(2)]), chain.mine([logging()])];
    await caughtUp();
    chain.reorganize(
      4,
      Array.from({ length: 5 }, () => [logging()]),
    );
    await caughtUp();
    const fresh = [5, 6, 7, 8].map((number) => chain.at(number) as MinedBlock);
    assert.deepEqual(
      headers.map(({ hash }) => hash),
      [...old, ...fresh].map(({ hash }) => hash),
    );
    assert.deepEqual(applied(logs), canonicalLogs(5));
  });
  const action = fc.oneof(
    fc.record({ do: fc.constant('mine' as const), logs: fc.nat(2) }),
    fc.record({ do: fc.constant('reorganize' as const), depth: fc.integer({ min: 1, max: 4 }), longer: fc.nat(2) }),
    fc.record({ do: fc.constant('kill' as const), node: fc.nat(1) }),
    fc.record({
      do: fc.constant('spoil' as const),
      node: fc.nat(1),
      how: fc.constantFrom('lag', 'hang', 'garbage', 'losesBlocks', 'forgetsReplaced'),
    }),
    fc.record({ do: fc.constant('heal' as const), node: fc.nat(1) }),
    fc.record({ do: fc.constant('wait' as const) }),
  );
  const perform: { [K in string]: (given: never) => unknown } = {
    mine: (given: { logs: number }) => chain.mine(given.logs > 0 ? [logging(given.logs)] : []),
    reorganize: (given: { depth: number; longer: number }) => {
      const depth = Math.min(given.depth, chain.head().number - 5);
      const branch = Array.from({ length: depth + given.longer }, () => [logging()]);
      return depth > 0 && chain.reorganize(depth, branch);
    },
    kill: (given: { node: number }) => nodes[given.node]?.disconnect(),
    spoil: (given: { node: number; how: string }) =>
      Object.assign((nodes[given.node] as EvmNode).faults, { [given.how]: given.how === 'lag' ? 2 : true }),
    heal: (given: { node: number }) => nodes[given.node]?.heal(),
    wait: () => new Promise((resolve) => setTimeout(resolve, 5)),
  };
  it('ends with the logs of the chain, whatever happens to nodes and blocks meanwhile', async function () {
    this.timeout(180_000 + runs * 10_000);
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 30 }), async (actions) => {
        await start(2);
        for (const one of actions) await perform[one.do]?.(one as never);
        for (const node of nodes) node.heal();
        chain.mine([logging()]);
        await caughtUp();
        assert.deepEqual(applied(logs), canonicalLogs(6));
        assertLinked();
        await stop();
      }),
      { numRuns: runs, endOnFailure: true },
    );
    await start(1);
  });
});
