import assert from 'node:assert/strict';
import { scopeFor } from '../../../application/commands/handle.js';
import type { StreamWrite } from '../../../application/ports/event-store.js';
import type { Change } from '../../../application/ports/read-models.js';
import { addresses } from '../../../projections/addresses.js';
import { assetDocumentId, assets } from '../../../projections/assets.js';
import { wallets } from '../../../projections/wallets.js';
import { until } from '../../support/eventually.js';
import { composeApp, contextOf, openStores } from '../../support/following/following.js';
import { addressOf, runApp } from '../../support/following/running-app.js';
import { testSystem } from '../../support/silent.js';

const [greedy, modest] = [contextOf('org_greedy'), contextOf('org_modest')];
const page = { size: 10, token: undefined };

describe('a wallet with very many addresses', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: ReturnType<typeof runApp>;
  let appended: { organizationId: string; streams: number }[];
  let turns: number;
  let diesAfter: number;
  let failsFor: string;
  let noteAppend = () => {};

  const start = (...names: string[]) => {
    const append = (writes: readonly StreamWrite[]) => {
      if (diesAfter-- === 0) return Promise.reject(new Error('killed'));
      const organizationId = writes[0]?.events[0]?.metadata.organizationId ?? '';
      if (organizationId === failsFor) return Promise.reject(new Error('the store rejects this write'));
      appended.push({ organizationId, streams: writes.length });
      noteAppend();
      return stores.events.append(writes);
    };
    const breathe = () => {
      turns++;
      return testSystem.breathe();
    };
    const app = composeApp({ ...stores, events: { ...stores.events, append } }, { system: { ...testSystem, breathe } });
    scene = runApp(app, ...names);
  };
  const walletOf = async (size: number) => {
    const walletId = await scene.largeWallet(greedy, size);
    appended.length = 0;
    return walletId;
  };
  const left = async (walletId: string, by = greedy) =>
    (await scene.app.addresses.list(by, walletId, page)).documents.length;

  beforeEach(async () => {
    stores = await openStores();
    [appended, turns, diesAfter, failsFor, noteAppend] = [[], 0, -1, '', () => {}];
    start();
  });
  afterEach(async () => {
    await scene.end();
    await stores.close();
  });

  it("removes all of them in parts, so that another organization's write waits for at most one part", async () => {
    const walletId = await walletOf(1200);
    const third = new Promise<void>((resolve) => {
      noteAppend = () => appended.length === 3 && resolve();
    });
    const removed = scene.app.addresses.removeAll(greedy, walletId);
    await third;
    const before = appended.length;
    await scene.app.wallets.register(modest, {
      name: 'm',
      address: undefined,
      importAsset: undefined,
      confirmation: 3,
    });
    const waited = appended.slice(
      before,
      appended.findLastIndex((one) => one.organizationId === 'org_modest'),
    );
    const streams = waited.reduce((sum, one) => sum + one.streams, 0);
    assert.ok(streams <= 200, `${streams} streams of another organization were written before`);
    assert.ok(Math.max(...appended.map((one) => one.streams)) <= 100);
    const { position } = await removed;
    await scene.shown(position);
    assert.equal(await left(walletId), 0);
  });

  it('removes the rest after a restart, and keeps addresses registered later', async () => {
    const walletId = await walletOf(1200);
    diesAfter = 5;
    await assert.rejects(scene.app.addresses.removeAll(greedy, walletId), /killed/);
    diesAfter = -1;
    const inputs = [{ text: addressOf(5000), path: '' }];
    await scene.shown((await scene.app.addresses.register(greedy, { walletId, inputs })).position);
    await scene.end();
    start('removal of addresses');
    await until('the rest is removed', async () => (await left(walletId)) <= 1);
    assert.deepEqual(
      (await scene.app.addresses.list(greedy, walletId, page)).documents.map(({ address }) => address),
      [addressOf(5000)],
    );
  });

  it("removes the rest after a restart even if another organization's removal fails, which is retried", async () => {
    const [failing, other] = [await walletOf(1200), await scene.largeWallet(modest, 1200, 5000)];
    for (const [by, walletId] of [
      [greedy, failing],
      [modest, other],
    ] as const) {
      diesAfter = 3;
      await assert.rejects(scene.app.addresses.removeAll(by, walletId), /killed/);
    }
    diesAfter = -1;
    await scene.end();
    failsFor = greedy.organizationId;
    start('removal of addresses');
    await until('the other wallet is empty', async () => (await left(other, modest)) === 0);
    assert.ok((await left(failing)) > 0);
    failsFor = '';
    await until('both wallets are empty', async () => (await left(failing)) === 0);
  });

  it('sums up its balances exactly, a hundred per turn', async () => {
    await scene.end();
    const count = 5000;
    const scope = scopeFor(greedy);
    const [walletId, time] = ['wal_1', '2026-01-01T00:00:00.000Z'];
    const wallet = { wallet_id: walletId, name: 'w', create_time: time, update_time: time, address_count: count };
    const changes: Change[] = [{ collection: wallets, scope, id: walletId, document: { ...wallet, position: 1 } }];
    const asset = { standard: 'native' } as const;
    for (let n = 0; n < count; n++) {
      const address = addressOf(n);
      const own = { asset, standard: 'native', asset_key: 'native' };
      const read = { wallet_id: walletId, address, ...own, balance: String(n), block_number: 1 };
      const id = assetDocumentId(walletId, address, asset);
      const document = { ...read, chain: '0x0', read_position: n + 3, position: n + 3 };
      changes.push({ collection: assets, scope, id, document });
      changes.push({
        collection: addresses,
        scope,
        id: address,
        document: { address, wallet_id: walletId, position: 2 },
      });
    }
    const { readModels } = stores;
    assert.ok(await readModels.commit(changes, await readModels.checkpoint(), {}));
    turns = 0;
    const filter = {
      standard: 'native',
      walletId,
      address: undefined,
      contract: undefined,
      excludeZero: true,
    } as const;
    const { documents } = await scene.app.assets.listAggregated(greedy, filter, page);
    assert.equal(documents[0]?.balance, String((count * (count - 1)) / 2));
    assert.ok(turns >= count / 100 - 1, `${turns} turns of the loop for ${count} balances`);
  });
});
