import assert from 'node:assert/strict';
import { status } from '@grpc/grpc-js';
import { createSuiLedger, type SuiLedger } from '../../../../infrastructure/chains/development/sui/ledger.js';
import { fullAddress } from '../../../../infrastructure/chains/sui/addresses.js';
import { nativeCoinType } from '../../../../infrastructure/chains/sui/coin-type.js';
import { suiChain } from '../../../../infrastructure/chains/sui/connector.js';
import type { FeedTimes } from '../../../../infrastructure/chains/sui/feed.js';
import { type SuiNode, startSuiNode } from '../../../support/chains/sui-node.js';
import { eventually } from '../../../support/eventually.js';
import {
  contextOf,
  openStores,
  type Running,
  startFollowing,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';
import { silent } from '../../../support/silent.js';
import { startVirtualClock, type VirtualClock } from '../../../support/virtual-clock.js';

const ann = `0x${'a1'.repeat(32)}`;
const variant = variantOf('s');
/** Limit of the node in requests per second, and the most that are sent in any second while its limit is known. */
const [limit, most] = [4, 6];
/** Time in milliseconds after the first requests, in which their rejections show that the node has a rate limit. */
const learningMs = 2000;
/** Timeouts longer than any test, because a request is repeated if its response is late. */
const timeouts = { deadlineMs: 120_000, timeoutMs: 30_000 };
/** Intervals longer than any test, so that only the follower makes requests. */
const untimed = { freshMs: 600_000, pollMs: 600_000, behindMs: 600_000, silenceMs: 600_000 };

describe('the requests to a Sui node', function () {
  this.timeout(240_000);
  let ledger: SuiLedger;
  let node: SuiNode;
  let running: Running;
  let clock: VirtualClock;
  let walletId = '';
  const by = contextOf('org_rate', variant);
  const closing: (() => Promise<unknown>)[] = [];

  const height = () => running.app.followers[0]?.status()?.height ?? -1;
  const caughtUp = () => eventually(async () => assert.equal(height(), ledger.height()));
  /** Makes checkpoints in groups of twenty, each after the previous group was followed. */
  const follow = async (checkpoints: number) => {
    for (let n = 1; n <= checkpoints; n++) {
      ledger.makeCheckpoint();
      if (n % 20 === 0 || n === checkpoints) await caughtUp();
    }
  };
  const pay = (amount: bigint) =>
    ledger.execute({ sender: fullAddress('0xf'), changes: [{ address: ann, coinType: nativeCoinType, amount }] });
  const values = async () => (await transfersOf(running.app, by, walletId)).map(({ transfer }) => transfer.value);
  /** Waits for the read models, which lag the follower. */
  const shows = (...wanted: readonly string[]) => eventually(async () => assert.deepEqual(await values(), wanted));
  let stores: Awaited<ReturnType<typeof openStores>>;
  const restart = async (times: Partial<FeedTimes> = {}) => {
    const chain = await suiChain([node.url], silent, { ...timeouts, times });
    running = startFollowing(stores, chain, { variant, fromGenesis: false });
    closing.push(chain.close, running.stop);
  };
  /** Starts a follower, and waits for its subscription if the node supports subscriptions. */
  const start = async (times: Partial<FeedTimes> = {}) => {
    stores = await openStores();
    closing.push(stores.close);
    await restart(times);
    await caughtUp();
    const wallet = { name: 'ann', confirmation: 1, address: ann, importAsset: undefined };
    walletId = (await running.app.wallets.register(by, wallet)).answer.wallet_id;
    if (!node.faults.unsubscribed) await subscribed();
  };
  const subscribed = () => eventually(async () => assert.equal(node.subscribers(), 1));
  beforeEach(async () => {
    clock = startVirtualClock();
    const hold = clock.flow();
    closing.push(async () => clock.stop(), hold);
    ledger = createSuiLedger(Date.now);
    ledger.makeCheckpoint();
    node = await startSuiNode(ledger);
    closing.push(node.close);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('are far fewer than the checkpoints, which the node pushes over a subscription', async () => {
    await start(untimed);
    await follow(3);
    const before = node.calls.all();
    await follow(100);
    pay(7n);
    await follow(100);
    const asked = node.calls.all() - before;
    assert.ok(asked <= 20, `${asked} requests for 200 checkpoints`);
    await shows('7');
  });

  /** Returns the largest number of requests in any second from `start` on, of the clock of this test. */
  const mostInSecond = (start: number) => {
    const times = node.calls.at.filter((at) => at >= start);
    return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));
  };

  it('stay within four per second while a chain is followed, and rejected ones are not repeated more often', async () => {
    await start();
    node.limit(limit);
    const [since, before, refused] = [clock.now(), node.calls.all(), node.calls.refused()];
    for (let n = 0; n < 100; n++) {
      if (n % 10 === 0) pay(BigInt(n / 10 + 1));
      ledger.makeCheckpoint();
      await clock.sleep(1000 / limit);
    }
    await eventually(async () => assert.equal((await values()).length, 10));
    const asked = node.calls.all() - before;
    assert.ok(asked > 0 && asked <= (limit * (clock.now() - since)) / 1000, `${asked} requests`);
    assert.ok(mostInSecond(since) <= most, `${mostInSecond(since)} requests in a second`);
    assert.ok(
      node.calls.refused() - refused <= asked / 4,
      `${node.calls.refused()} of ${asked} requests were rejected`,
    );
  });

  for (const code of [status.RESOURCE_EXHAUSTED, status.UNAVAILABLE])
    it(`catch up after a downtime at four per second if the node rejects more with ${status[code]}`, async () => {
      await start();
      await running.stop();
      pay(3n);
      for (let n = 0; n < 60; n++) ledger.makeCheckpoint();
      node.limit(limit, code);
      const before = node.calls.all();
      await restart();
      await caughtUp();
      const learnt = (node.calls.at[before] ?? 0) + learningMs;
      const refused = node.calls.refused();
      assert.ok(clock.now() - learnt >= 5000, 'the gap was filled before the rate could be seen');
      assert.ok(mostInSecond(learnt) <= most, `${mostInSecond(learnt)} requests in a second`);
      const asked = node.calls.all() - before;
      assert.ok(refused <= asked / 3, `${refused} of ${asked} requests were rejected`);
      await shows('3');
    });

  it('are one per checkpoint and a few for the head if a node has no subscriptions', async () => {
    node.faults.unsubscribed = true;
    await start();
    const [before, since] = [node.calls.all(), clock.now()];
    for (let n = 0; n < 40; n++) ledger.makeCheckpoint();
    pay(3n);
    await follow(3);
    const asked = node.calls.all() - before;
    // Polls of the head take at most two requests a second.
    const seconds = (clock.now() - since) / 1000;
    assert.ok(asked <= 44 + 2 * (seconds + 1) + 5, `${asked} requests for 43 checkpoints in ${seconds} s`);
    await shows('3');
    assert.equal(node.calls.of('subscribeCheckpoints'), 1);
  });

  it('reopen a subscription that ended, and fetch the checkpoints in between', async () => {
    await start();
    await follow(2);
    node.faults.silent = true;
    pay(5n);
    ledger.makeCheckpoint();
    node.hangUp();
    node.heal();
    ledger.makeCheckpoint();
    await caughtUp();
    await shows('5');
    await eventually(async () => assert.ok(node.calls.of('subscribeCheckpoints') >= 2));
    await subscribed();
  });

  it('poll while a subscription is silent, and reopen it', async () => {
    await start({ freshMs: 200, pollMs: 100, behindMs: 400 });
    await follow(2);
    node.faults.silent = true;
    pay(5n);
    await follow(3);
    await shows('5');
    await eventually(async () => assert.ok(node.calls.of('subscribeCheckpoints') >= 2));
    node.heal();
    await subscribed();
    // The clock may pass 200 ms without a checkpoint, so it suffices that one round fetches few checkpoints.
    await eventually(async () => {
      const before = node.calls.of('getCheckpoint');
      await follow(5);
      assert.ok(node.calls.of('getCheckpoint') - before < 5, 'the subscription is not used');
    });
  });
});
