import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type Node, NodeRefusal } from '../../../application/ports/node.js';
import type { PendingTransactions } from '../../../application/ports/pending.js';
import type { System } from '../../../application/ports/system.js';
import { createPendingWatcher } from '../../../application/queries/watch-pending.js';
import { Failure } from '../../../domain/failure.js';
import { sqlitePending } from '../../../infrastructure/sqlite/pending.js';
import { addressOf, digestOf } from '../../support/chains/evm-chain.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { testSystem } from '../../support/silent.js';

type Waiting = { readonly hash: string; readonly from: string; readonly nonce: string; blockNumber: string | null };
type Block = { readonly hash: string; readonly parentHash: string; number: string; transactions: readonly Waiting[] };

const anna = addressOf('anna');
const bert = addressOf('bert');

const transactionOf = (from: string, nonce: number, mark = ''): Waiting => ({
  hash: digestOf(from, nonce, mark),
  from,
  nonce: `0x${nonce.toString(16)}`,
  blockNumber: null,
});

/** Node whose pool and blocks the test controls. */
const createHandNode = () => {
  const known = new Map<string, Waiting>();
  const blocks: Block[] = [];
  const replaced: Block[] = [];
  const listeners: ((hash: string) => void)[] = [];
  const heads: (() => void)[] = [];
  const state: { isDown: boolean; isPoolShown: boolean; isPoolSlow: boolean; poolReads: number; refusals: number } = {
    isDown: false,
    isPoolShown: true,
    isPoolSlow: false,
    poolReads: 0,
    refusals: 0,
  };
  const reach = () => {
    if (!state.isDown) return;
    state.refusals++;
    throw new Failure('UNAVAILABLE', 'no node of this chain can be reached');
  };
  let serial = 0;

  const mine = (transactions: readonly Waiting[]) => {
    const number = blocks.length;
    const parentHash = blocks.at(-1)?.hash ?? digestOf('before');
    blocks.push({ hash: digestOf('block', ++serial), parentHash, number: `0x${number.toString(16)}`, transactions });
    for (const one of transactions) known.set(one.hash, { ...one, blockNumber: `0x${number.toString(16)}` });
    for (const notice of heads) notice();
  };
  mine([]);

  const byMethod: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_getTransactionByHash: ([hash]) => known.get(String(hash)) ?? null,
    eth_getBlockByHash: ([hash]) => [...blocks, ...replaced].find((block) => block.hash === hash) ?? null,
    txpool_content: () => {
      state.poolReads++;
      if (state.isPoolSlow) throw new Failure('UNAVAILABLE', 'the node gave no answer in time');
      if (!state.isPoolShown) throw new NodeRefusal('unsupported', 'the method does not exist');
      const waiting = [...known.values()].filter(({ blockNumber }) => blockNumber === null);
      return { pending: Object.fromEntries(waiting.map((one) => [one.hash, { [one.nonce]: one }])), queued: {} };
    },
  };
  const node = {
    ask: async (method: string, params: readonly unknown[]) => {
      reach();
      return structuredClone(byMethod[method]?.(params) ?? null);
    },
    head: async () => {
      reach();
      return { number: blocks.length - 1, hash: blocks.at(-1)?.hash ?? '' };
    },
    watchPending: async (notice: (hash: string) => void) => void listeners.push(notice),
    watchHeads: (notice: () => void) => void heads.push(notice),
  } as unknown as Node;

  return {
    node,
    state,
    /** Adds a transaction to the pool, and announces it unless `isAnnounced` is false. */
    appear: (one: Waiting, isAnnounced = true) => {
      known.set(one.hash, one);
      if (isAnnounced) for (const notice of listeners) notice(one.hash);
    },
    announce: (hash: string) => {
      for (const notice of listeners) notice(hash);
    },
    drop: (one: Waiting) => known.delete(one.hash),
    mine,
    /** Replaces the newest block; transactions that the new block lacks are pending again. */
    replaceHead: (transactions: readonly Waiting[]) => {
      const [old] = blocks.splice(-1);
      if (old) replaced.push(old);
      for (const one of old?.transactions ?? []) known.set(one.hash, { ...one, blockNumber: null });
      mine(transactions);
      mine([]);
    },
  };
};

describe('the watcher of pending transactions', () => {
  let hand: ReturnType<typeof createHandNode>;
  let pending: PendingTransactions;
  let stop: AbortController;
  let running: Promise<void>;
  let ahead: number;
  let marks = 0;
  const system: System = { ...testSystem, now: () => Date.now() + ahead };

  const start = () => {
    stop = new AbortController();
    running = createPendingWatcher({ node: hand.node, pending, system })(stop.signal);
  };
  const end = async () => {
    stop.abort();
    await running;
  };
  beforeEach(async () => {
    ahead = 0;
    hand = createHandNode();
    hand.state.isPoolShown = false;
    pending = await sqlitePending(join(freshDirectory(), 'pending.db'));
  });
  afterEach(async () => {
    await end();
    await pending.close();
  });
  const keeps = (...wanted: readonly Waiting[]) =>
    eventually(async () => {
      const kept = [...(await pending.listFrom(anna)), ...(await pending.listFrom(bert))];
      const sorted = (hashes: readonly string[]) => hashes.toSorted((a, b) => a.localeCompare(b));
      assert.deepEqual(sorted(kept.map(({ hash }) => hash)), sorted(wanted.map(({ hash }) => hash)));
    });
  /** Waits until the watcher has handled all earlier announcements. */
  const settled = async () => {
    const mark = transactionOf(addressOf('mark'), 0, `mark ${marks++}`);
    hand.appear(mark);
    await eventually(async () => assert.ok(await pending.find(mark.hash)));
  };

  it('keeps a transaction with the time it was first seen until it is mined', async () => {
    start();
    const [one, two] = [transactionOf(anna, 0), transactionOf(anna, 1)];
    const before = Date.now();
    hand.appear(one);
    hand.appear(two);
    await keeps(one, two);
    const seen = (await pending.find(one.hash))?.firstSeen ?? 0;
    assert.ok(seen >= before && seen <= Date.now());
    hand.announce(one.hash);
    await settled();
    assert.equal((await pending.find(one.hash))?.firstSeen, seen);
    hand.mine([one]);
    await keeps(two);
  });

  it('drops a transaction replaced by another with the same nonce, even one never seen pending', async () => {
    start();
    const [low, high, others] = [transactionOf(anna, 3), transactionOf(anna, 5), transactionOf(bert, 4)];
    for (const one of [low, high, others]) hand.appear(one);
    await keeps(low, high, others);
    hand.mine([transactionOf(anna, 3, 'unseen')]);
    await keeps(high, others);
  });

  it('drops transactions mined in any block since its last poll', async () => {
    start();
    const many = Array.from({ length: 5 }, (_, nonce) => transactionOf(anna, nonce));
    for (const one of many) hand.appear(one);
    await keeps(...many);
    for (const one of many) hand.mine([one]);
    await keeps();
  });

  it('restores a transaction that a reorganization made pending, but not one that was mined again', async () => {
    start();
    const [back, again] = [transactionOf(anna, 0), transactionOf(bert, 0)];
    for (const one of [back, again]) hand.appear(one);
    await keeps(back, again);
    hand.mine([back, again]);
    await keeps();
    hand.replaceHead([again]);
    await keeps(back);
  });

  it('finds transactions that were pending before it started, if a node exposes its pool', async () => {
    const early = transactionOf(anna, 0);
    hand.appear(early, false);
    hand.state.isPoolShown = true;
    start();
    await keeps(early);
  });

  it('reads the pool again after a node did not answer in time, but not after it refused the request', async () => {
    hand.state.isPoolShown = true;
    hand.state.isPoolSlow = true;
    start();
    await eventually(async () => assert.equal(hand.state.poolReads, 1));
    hand.state.isPoolSlow = false;
    const [late, later] = [transactionOf(anna, 0), transactionOf(anna, 1)];
    const readLater = async () => {
      ahead += 60_001;
      hand.mine([]);
      await settled();
      // The pool is read after the announcements of a round, so the next round begins after that read.
      await settled();
    };
    hand.appear(late, false);
    await readLater();
    await keeps(late);
    hand.state.isPoolShown = false;
    hand.appear(later, false);
    await readLater();
    hand.state.isPoolShown = true;
    await readLater();
    assert.equal(hand.state.poolReads, 3);
    await keeps(late);
  });

  it('drops transactions that were mined, replaced or lost while it did not run', async () => {
    start();
    const [mined, replaced] = [transactionOf(anna, 0), transactionOf(anna, 1)];
    const [lost, kept] = [transactionOf(anna, 2), transactionOf(anna, 3)];
    for (const one of [mined, replaced, lost, kept]) hand.appear(one);
    await keeps(mined, replaced, lost, kept);
    await end();
    hand.mine([mined]);
    for (const one of [replaced, lost]) hand.drop(one);
    hand.mine([]);
    start();
    await keeps(kept);
  });

  it('drops a transaction after three hours', async () => {
    start();
    const old = transactionOf(anna, 0);
    hand.appear(old);
    await keeps(old);
    ahead = 3 * 3_600_000 + 1;
    hand.mine([]);
    await keeps();
  });

  it('ignores unknown, mined and malformed transactions', async () => {
    start();
    hand.announce(digestOf('unknown'));
    hand.appear({ ...transactionOf(anna, 0), blockNumber: '0x1' });
    hand.appear({ ...transactionOf(anna, 1), nonce: 'many' });
    await settled();
    await keeps();
  });

  it('continues when the node is back, without losing transactions announced meanwhile', async () => {
    start();
    const [before, during] = [transactionOf(anna, 0), transactionOf(anna, 1)];
    hand.appear(before);
    await keeps(before);
    hand.state.isDown = true;
    hand.appear(during);
    hand.mine([before]);
    await eventually(async () => assert.ok(hand.state.refusals > 0));
    hand.state.isDown = false;
    await keeps(during);
  });
});
