import assert from 'node:assert/strict';
import { recordBalances } from '../../../application/assets/balance-ledger.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { addressStep } from '../../../application/wallets/addresses.js';
import { addresses } from '../../../projections/addresses.js';
import { composeApp, contextOf, everyAsset, openStores, variantOf } from '../../support/following/following.js';
import { headersOf } from '../../support/following/header-chain.js';
import { runApp } from '../../support/following/running-app.js';
import { testSystem } from '../../support/silent.js';

const count = 300;
const rawOf = (n: number) => `0:${n.toString(16).padStart(64, '0')}`;
const address = rawOf(1);
const assetOf = (n: number) => ({ standard: 'token', contract: rawOf(1000 + n) }) as const;

describe('ListAssets of an address with many imported tokens', () => {
  const by = contextOf('org_a', variantOf('t'));
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: ReturnType<typeof runApp>;
  let walletId: string;
  /** Address documents in each read. */
  let read: number[] = [];
  before(async () => {
    stores = await openStores();
    const getMany: ReadModels['getMany'] = (collection, keys) => {
      if (collection.name === addresses.name) read.push(keys.length);
      return stores.readModels.getMany(collection, keys);
    };
    scene = runApp(composeApp({ ...stores, readModels: { ...stores.readModels, getMany } }));
    const wanted = { name: 'many', address, importAsset: undefined, confirmation: undefined };
    walletId = (await scene.app.wallets.register(by, wanted)).answer.wallet_id;
    const handle = createHandle(stores.events, testSystem);
    const numbers = Array.from({ length: count }, (_, n) => n);
    for (const n of numbers) {
      const data = { address, walletId, asset: assetOf(n) };
      await handle(by, [addressStep(by, { type: 'Import', data }, '')]);
    }
    const [at] = headersOf('b', 1);
    assert.ok(at);
    const balances = numbers.map((n) => ({ address, asset: assetOf(n), balance: '5' }));
    await scene.shown(await recordBalances(handle, by, { walletId, balances, at, chain: at.hash }));
  });
  after(async () => {
    await scene.end();
    await stores.close();
  });
  beforeEach(() => {
    read = [];
  });
  const filter = () => ({ ...everyAsset, standard: 'native' as const, walletId, withTokens: true });
  const page = { size: 100, token: undefined };

  it('reads the document of the address once per hundred balances', async () => {
    const { documents } = await scene.app.assets.list(by, filter(), page);
    assert.equal(documents.length, 100);
    assert.ok(read.length <= 2, `${read.length} reads for a page`);
    assert.deepEqual(new Set(read), new Set([1]));
  });

  it('reads the document once per hundred balances that it aggregates', async () => {
    const { documents } = await scene.app.assets.listAggregated(by, filter(), page);
    assert.equal(documents.length, 100);
    assert.deepEqual(
      read,
      Array.from({ length: count / 100 }, () => 1),
    );
  });
});
