import assert from 'node:assert/strict';
import type { Chain } from '../../../../application/ports/chain.js';
import type { ReadModels } from '../../../../application/ports/read-models.js';
import { refreshes } from '../../../../projections/assets.js';
import { until } from '../../../support/eventually.js';
import {
  allEvents,
  composeApp,
  contextOf,
  followedVariant,
  type openStores,
} from '../../../support/following/following.js';
import { headerChain, headersOf } from '../../../support/following/header-chain.js';
import { addressOf, runApp } from '../../../support/following/running-app.js';
import { storeKinds } from '../../../support/following/store-kinds.js';

const standard = 'native';
const greedyWallets = 4;

for (const { name: kind, open } of storeKinds)
  describe(`the balance refresher on ${kind}`, () => {
    let stores: Awaited<ReturnType<typeof openStores>>;
    let scenes: ReturnType<typeof runApp>[] = [];
    /** Running refreshes that were read from the read models. */
    let read = 0;
    /** Addresses of each successful balance request. */
    let asked: string[][] = [];
    let failsFor: ReadonlySet<string> = new Set();
    const [greedy, modest] = [contextOf('org_greedy'), contextOf('org_modest')];

    const chain: Chain = {
      ...headerChain({ headers: headersOf('b', 3) }),
      balances: async (holdings) => {
        const addresses = holdings.map(({ address }) => address);
        if (addresses.some((address) => failsFor.has(address))) throw new Error('the node is gone');
        asked.push(addresses);
        return holdings.map(() => '7');
      },
    };
    const start = (...names: string[]) => {
      const scan: ReadModels['scan'] = async (collection, after) => {
        const found = await stores.readModels.scan(collection, after);
        if (collection.name === refreshes.name) read += found.length;
        return found;
      };
      const readModels = { ...stores.readModels, scan };
      const chains = new Map([[followedVariant.tag, { chain, isNew: false }]]);
      const scene = runApp(composeApp({ ...stores, readModels }, { chains }), ...names);
      scenes.push(scene);
      return scene;
    };
    type Scene = ReturnType<typeof start>;
    const refresh = async ({ app, shown }: Scene, by: typeof greedy, walletId: string) =>
      shown((await app.balances.refresh(by, { walletId, address: undefined, standard })).position);
    const ended = ({ app }: Scene, by: typeof greedy, walletId: string) =>
      until('the refresh has ended', async () => (await app.refreshes.find(by, walletId, standard)) === null);
    const endAll = async () => {
      await Promise.all(scenes.map((scene) => scene.end()));
      scenes = [];
    };

    beforeEach(async () => {
      stores = await open();
      [read, asked, failsFor] = [0, [], new Set()];
    });
    afterEach(async () => {
      await endAll();
      await stores.close();
    });

    it('reads the running refreshes of all organizations once, not again with each part and each request', async () => {
      const scene = start();
      const numbers = Array.from({ length: greedyWallets }, (_, n) => n);
      failsFor = new Set(numbers.map((n) => addressOf(n * 1000 + 150)));
      for (const n of numbers) await refresh(scene, greedy, await scene.largeWallet(greedy, 200, n * 1000 + 1));
      const walletId = await scene.largeWallet(modest, 500, 50_001);
      await refresh(scene, modest, walletId);
      scene.begin('balance refresher');
      await ended(scene, modest, walletId);
      await refresh(scene, modest, walletId);
      await ended(scene, modest, walletId);
      assert.equal(read, greedyWallets + 1);
    });

    it('finds refreshes that other processes request and end, and reads no part a second time after a restart', async () => {
      const other = start();
      start('balance refresher');
      const walletId = await other.largeWallet(greedy, 300);
      await refresh(other, greedy, walletId);
      await ended(other, greedy, walletId);
      await endAll();
      asked = [];
      const restarted = start('balance refresher');
      const small = await restarted.largeWallet(modest, 300, 5001);
      await refresh(restarted, modest, small);
      await ended(restarted, modest, small);
      assert.equal(asked.flat().includes(addressOf(250)), false);
      const types = (await allEvents(stores.events)).map(({ type }) => type);
      const stored = ['RefreshStarted', 'RefreshAdvanced', 'RefreshEnded'].map(
        (type) => types.filter((one) => one === type).length,
      );
      assert.deepEqual(stored, [2, 4, 2]);
    });
  });
