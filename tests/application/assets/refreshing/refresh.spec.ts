import assert from 'node:assert/strict';
import type { Chain, Header } from '../../../../application/ports/chain.js';
import { until } from '../../../support/eventually.js';
import {
  composeApp,
  contextOf,
  everyAsset,
  followedVariant,
  type openStores,
} from '../../../support/following/following.js';
import { addressOf, runApp } from '../../../support/following/running-app.js';
import { storeKinds } from '../../../support/following/store-kinds.js';

const standard = 'native';
const hashOf = (branch: string, number: number) => `0x${branch}${number.toString(16).padStart(62, '0')}`;

/** Chain with balances and faults that tests set. `asked` lists the addresses of each successful balance request. */
const createMadeChain = () => {
  const state = {
    branch: '00',
    head: 20,
    balance: (_: string) => '5',
    failsFor: '',
    asked: [] as string[][],
    before: async (_: readonly string[]): Promise<void> => undefined,
  };
  const headerAt = (number: number): Header => ({
    number,
    hash: hashOf(number > 5 ? state.branch : '00', number),
    parentHash: hashOf(number > 6 ? state.branch : '00', number - 1),
    time: number,
  });
  const chain = {
    genesis: async () => headerAt(0),
    head: async () => headerAt(state.head),
    headerAt: async (number: number) => headerAt(number),
    finalized: async () => 0,
    balances: async (holdings) => {
      const named = holdings.map(({ address }) => address);
      await state.before(named);
      if (named.includes(state.failsFor)) throw new Error('the node is gone');
      state.asked.push(named);
      return named.map(state.balance);
    },
  } as Partial<Chain> as Chain;
  return { chain, state };
};

for (const { name: kind, open } of storeKinds)
  describe(`RefreshAssetBalances of a large wallet on ${kind}`, () => {
    let stores: Awaited<ReturnType<typeof openStores>>;
    let scene: ReturnType<typeof runApp>;
    let made: ReturnType<typeof createMadeChain>;
    const [greedy, modest] = [contextOf('org_greedy'), contextOf('org_modest')];

    const start = (...names: string[]) => {
      const chains = new Map([[followedVariant.tag, { chain: made.chain, isNew: false }]]);
      scene = runApp(composeApp(stores, { chains }), ...names);
    };
    const refresh = async (by: typeof greedy, walletId: string) => {
      const { position } = await scene.app.balances.refresh(by, { walletId, address: undefined, standard });
      await scene.shown(position);
    };
    const isRunning = async (by: typeof greedy, walletId: string) =>
      (await scene.app.refreshes.find(by, walletId, standard)) !== null;
    const ended = (by: typeof greedy, walletId: string) =>
      until('the refresh has ended', async () => !(await isRunning(by, walletId)));
    const stored = async () => {
      const found: { stream: string; type: string }[] = [];
      for await (const batch of stores.events.readAll(0))
        for (const { stream, type } of batch) found.push({ stream, type });
      return found;
    };
    const balancesOf = async (by: typeof greedy, walletId: string) =>
      scene.app.assets.listAggregated(by, { ...everyAsset, standard, walletId }, { size: 10, token: undefined });

    beforeEach(async () => {
      stores = await open();
      made = createMadeChain();
    });
    afterEach(async () => {
      await scene.end();
      await stores.close();
    });

    it('reads 100 addresses before it answers, and the rest in parts, each in its own stream', async () => {
      start('balance refresher');
      const walletId = await scene.largeWallet(greedy, 500);
      await refresh(greedy, walletId);
      assert.equal(made.state.asked[0]?.length, 100);
      await ended(greedy, walletId);
      assert.equal((await balancesOf(greedy, walletId)).documents[0]?.balance, '2500');
      const lengths = new Map<string, number>();
      for (const { stream } of await stored()) lengths.set(stream, (lengths.get(stream) ?? 0) + 1);
      assert.ok(Math.max(...lengths.values()) <= 2 * 100 + 1, `a stream has ${Math.max(...lengths.values())} events`);
    });

    it('stores no event for unchanged balances', async () => {
      start('balance refresher');
      const walletId = await scene.largeWallet(greedy, 300);
      await refresh(greedy, walletId);
      await ended(greedy, walletId);
      const before = (await stored()).length;
      made.state.head++;
      made.state.balance = (address) => (address === addressOf(250) ? '7' : '5');
      await refresh(greedy, walletId);
      await ended(greedy, walletId);
      const later = (await stored()).slice(before).map(({ type }) => type);
      assert.deepEqual(
        later.filter((type) => type.startsWith('Balance')),
        ['BalanceRefreshed'],
      );
      assert.deepEqual(
        later.filter((type) => !type.startsWith('Balance')),
        ['RefreshStarted', 'RefreshAdvanced', 'RefreshAdvanced', 'RefreshEnded'],
      );
      assert.equal((await balancesOf(greedy, walletId)).documents[0]?.balance, '1502');
    });

    it('is joined by a second refresh, during its first part and later', async () => {
      start();
      const walletId = await scene.largeWallet(greedy, 300);
      await Promise.all(Array.from({ length: 10 }, () => refresh(greedy, walletId)));
      await refresh(greedy, walletId);
      assert.equal(made.state.asked.length, 1);
      assert.deepEqual((await stored()).filter(({ type }) => type === 'RefreshStarted').length, 1);
      const { done, total } = (await scene.app.refreshes.find(greedy, walletId, standard)) ?? {};
      assert.deepEqual([done, total], [100, 300]);
    });

    it('resumes with the next part after a restart', async () => {
      start();
      const walletId = await scene.largeWallet(greedy, 500);
      await refresh(greedy, walletId);
      await scene.end();
      // Address 250 is in the third part of the refresh, which therefore fails until the first process is stopped.
      made.state.failsFor = addressOf(250);
      start('balance refresher');
      const done = async () => (await scene.app.refreshes.find(greedy, walletId, standard))?.done;
      await until('the second part is read', async () => (await done()) === 200);
      await scene.end();
      made.state.failsFor = '';
      start('balance refresher');
      await ended(greedy, walletId);
      const asked = made.state.asked.flat();
      assert.equal(new Set(asked).size, 500);
      assert.equal(asked.length, 500);
      assert.equal((await balancesOf(greedy, walletId)).documents[0]?.balance, '2500');
    });

    it('makes another organization wait for at most one of its parts', async () => {
      start();
      const large = await scene.largeWallet(greedy, 500);
      const small = await scene.largeWallet(modest, 200, 5000);
      await refresh(greedy, large);
      await refresh(modest, small);
      const before = made.state.asked.length;
      scene.begin('balance refresher');
      await ended(modest, small);
      const isModest = (part: readonly string[]) => part.includes(addressOf(5150));
      const waited = made.state.asked.slice(before).findIndex(isModest);
      assert.ok(waited <= 1, `${waited} parts of the other organization were read before`);
      await ended(greedy, large);
    });

    it('is not delayed by a wallet whose balances cannot be read', async () => {
      start();
      made.state.failsFor = addressOf(150);
      const [broken, fine] = [await scene.largeWallet(greedy, 200), await scene.largeWallet(modest, 200, 5000)];
      await refresh(greedy, broken);
      await refresh(modest, fine);
      scene.begin('balance refresher');
      await ended(modest, fine);
      assert.equal(await isRunning(greedy, broken), true);
    });

    it("is not delayed by another organization's balances that no node returns", async () => {
      start();
      const [hanging, fine] = [await scene.largeWallet(greedy, 200), await scene.largeWallet(modest, 300, 5000)];
      await refresh(greedy, hanging);
      await refresh(modest, fine);
      let answer = () => {};
      made.state.before = (asked) =>
        asked.includes(addressOf(150)) ? new Promise((resolve) => (answer = resolve)) : Promise.resolve();
      scene.begin('balance refresher');
      try {
        await ended(modest, fine);
        assert.equal(await isRunning(greedy, hanging), true);
      } finally {
        answer();
      }
      await ended(greedy, hanging);
    });

    it('restarts when the block of its last part was replaced, and corrects the balances it read', async () => {
      start();
      const walletId = await scene.largeWallet(greedy, 200);
      await refresh(greedy, walletId);
      made.state.branch = '01';
      made.state.balance = () => '3';
      scene.begin('balance refresher');
      await ended(greedy, walletId);
      const balance = async () => (await balancesOf(greedy, walletId)).documents[0]?.balance;
      await until('the balances are corrected', async () => (await balance()) === '600');
      assert.equal((await stored()).filter(({ type }) => type === 'RefreshStarted').length, 2);
    });
  });
