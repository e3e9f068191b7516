import assert from 'node:assert/strict';
import { readReached } from '../../../application/following/progress/cursor-store.js';
import type { Chain } from '../../../application/ports/chain.js';
import { until } from '../../support/eventually.js';
import { composeApp, contextOf, followedVariant, openStores } from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { registerContracts } from '../../support/following/registered-contracts.js';
import { runApp } from '../../support/following/running-app.js';

const maxBalances = 500;

describe('ReconcileWallet of a wallet with many balances', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: ReturnType<typeof runApp>;
  /** Numbers of balances that the caller was charged for, one number per charge. */
  let charges: number[] = [];
  /** Numbers of comparisons that have begun, that run, and that ran at the same time at most. */
  let comparisons = { begun: 0, running: 0, most: 0 };
  let held: (() => void)[] = [];
  let isHolding = false;
  const by = { ...contextOf('org_greedy'), touch: (count: number) => void charges.push(count) };
  const other = contextOf('org_modest');

  const chain: Chain = {
    ...headerChain({ headers: headersOf('b', 20) }),
    /** Every comparison asks once for the final height of each part of a wallet. */
    finalized: async () => {
      if (!isHolding) return 5;
      const { begun, running, most } = comparisons;
      comparisons = { begun: begun + 1, running: running + 1, most: Math.max(most, running + 1) };
      await new Promise<void>((resolve) => held.push(resolve));
      comparisons = { ...comparisons, running: comparisons.running - 1 };
      return 5;
    },
  };
  const release = async (count: number) => {
    await until('the comparisons wait', () => held.length >= count);
    for (const proceed of held.splice(0)) proceed();
  };

  beforeEach(async () => {
    [charges, held, isHolding] = [[], [], false];
    comparisons = { begun: 0, running: 0, most: 0 };
    stores = await openStores();
    scene = runApp(
      composeApp(stores, { chains: new Map([[followedVariant.tag, { chain, isNew: false }]]) }),
      'follower',
    );
    await until('the chain is followed', async () => (await readReached(stores.state, followedVariant.tag)) !== null);
  });
  afterEach(async () => {
    await scene.end();
    await stores.close();
  });

  it('compares at most 500 balances at a time, and is charged for all addresses and balances', async () => {
    await scene.shown(await registerContracts(stores.events, by, 50));
    const walletId = await scene.largeWallet(by, 100);
    charges = [];
    await scene.app.reconciliation.reconcile(by, walletId);
    assert.ok(Math.max(...charges) <= maxBalances, `${charges}`);
    assert.equal(
      charges.reduce((sum, count) => sum + count, 0),
      100 + 100 * (50 + 1),
    );
  });

  it('compares a wallet once for all callers that ask meanwhile', async () => {
    const walletId = await scene.largeWallet(by, 100);
    isHolding = true;
    const answers = Promise.all([1, 2, 3].map(() => scene.app.reconciliation.reconcile(by, walletId)));
    await release(1);
    const [first, ...others] = await answers;
    for (const another of others) assert.deepEqual(another, first);
    assert.equal(comparisons.begun, 1);
  });

  it('compares one wallet of an organization at a time, and wallets of others beside it', async () => {
    const greedy: string[] = [];
    for (let n = 0; n < 3; n++) greedy.push(await scene.largeWallet(by, 100, 1 + 100 * n));
    const modest = await scene.largeWallet(other, 100, 1);
    isHolding = true;
    const answers = greedy.map((walletId) => scene.app.reconciliation.reconcile(by, walletId));
    const answer = scene.app.reconciliation.reconcile(other, modest);
    await until('both organizations compare', () => comparisons.running === 2);
    isHolding = false;
    await release(2);
    await Promise.all([...answers, answer]);
    assert.deepEqual([comparisons.begun, comparisons.most], [2, 2]);
  });
});
