import assert from 'node:assert/strict';
import type { Chain } from '../../../../application/ports/chain.js';
import type { EventStore } from '../../../../application/ports/event-store.js';
import { until } from '../../../support/eventually.js';
import {
  allEvents,
  composeApp,
  contextOf,
  everyAsset,
  followedVariant,
  type openStores,
} from '../../../support/following/following.js';
import { headerChain, headersOf } from '../../../support/following/header-chain.js';
import { registerContracts } from '../../../support/following/registered-contracts.js';
import { addressOf, runApp } from '../../../support/following/running-app.js';
import { storeKinds } from '../../../support/following/store-kinds.js';

const standard = 'erc20';
const maxBalances = 500;
const isBalance = (type: string) => type === 'BalanceRead' || type === 'BalanceRefreshed';

for (const { name: kind, open } of storeKinds)
  describe(`RefreshAssetBalances of many contracts on ${kind}`, () => {
    let stores: Awaited<ReturnType<typeof openStores>>;
    let scene: ReturnType<typeof runApp>;
    /** Number of balances in each call to the node. */
    let asked: number[] = [];
    /** Number of balances in each append. */
    let appended: number[] = [];
    let charged = 0;
    const touch = (count: number) => {
      charged += count;
    };
    const by = { ...contextOf('org_greedy'), touch };

    const chain: Chain = {
      ...headerChain({ headers: headersOf('b', 3) }),
      balances: async (holdings) => {
        asked.push(holdings.length);
        return holdings.map(() => '7');
      },
    };
    const start = () => {
      const append: EventStore['append'] = (writes, deadline) => {
        appended.push(writes.flatMap(({ events }) => events).filter(({ type }) => isBalance(type)).length);
        return stores.events.append(writes, deadline);
      };
      const events = { ...stores.events, append };
      scene = runApp(
        composeApp({ ...stores, events }, { chains: new Map([[followedVariant.tag, { chain, isNew: false }]]) }),
      );
    };
    const register = async (count: number) => scene.shown(await registerContracts(stores.events, by, count));
    const refresh = async (of: { walletId?: string; address?: string }) => {
      [asked, appended, charged] = [[], [], 0];
      const wanted = { walletId: of.walletId, address: of.address, standard } as const;
      await scene.shown((await scene.app.balances.refresh(by, wanted)).position);
    };
    const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
    const storedBalances = async () => (await allEvents(stores.events)).filter(({ type }) => isBalance(type)).length;

    beforeEach(async () => {
      stores = await open();
      start();
    });
    afterEach(async () => {
      await scene.end();
      await stores.close();
    });

    it('reads at most 500 balances before it answers, and the rest in parts', async () => {
      await register(100);
      const walletId = await scene.largeWallet(by, 100);
      await refresh({ walletId });
      assert.deepEqual([total(asked), total(appended)], [maxBalances, maxBalances]);
      const { done, total: addresses } = (await scene.app.refreshes.find(by, walletId, standard)) ?? {};
      assert.deepEqual([done, addresses], [5, 100]);
      scene.begin('balance refresher');
      await until(
        'the refresh has ended',
        async () => (await scene.app.refreshes.find(by, walletId, standard)) === null,
      );
      assert.equal(await storedBalances(), 100 * 100);
      assert.ok(Math.max(...appended) <= maxBalances, `an append has ${Math.max(...appended)} balances`);
    });

    it('is charged for every balance of the wallet', async () => {
      await register(50);
      const walletId = await scene.largeWallet(by, 100);
      await refresh({ walletId });
      assert.equal(charged, 100 * 50);
    });

    it('is charged for every balance of a single address', async () => {
      await register(50);
      await scene.largeWallet(by, 100);
      await refresh({ address: addressOf(1) });
      assert.equal(charged, 50);
    });

    it('stores the balances of one address in appends of at most 500, however many it has', async () => {
      await register(1200);
      const walletId = await scene.largeWallet(by, 100);
      await refresh({ address: addressOf(1) });
      assert.deepEqual([total(asked), total(appended)], [1200, 1200]);
      assert.ok(Math.max(...appended) <= maxBalances, `an append has ${Math.max(...appended)} balances`);
      const shown = await scene.app.assets.list(
        by,
        { ...everyAsset, standard, walletId },
        { size: 100, token: undefined },
      );
      assert.equal(shown.documents.length, 100);
      await refresh({ address: addressOf(1) });
      assert.equal(total(appended), 0);
    });
  });
