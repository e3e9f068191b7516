import assert from 'node:assert/strict';
import { recordBalances } from '../../../application/assets/balance-ledger.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { addressStep } from '../../../application/wallets/addresses.js';
import { assetKey } from '../../../domain/asset.js';
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
  /** Number of address documents requested by each `getMany`. */
  let read: number[] = [];
  /** Lengths of the written documents as JSON, in characters, by collection. Counters are not included. */
  let written: Map<string, number[]>;
  before(async () => {
    written = new Map();
    stores = await openStores();
    const getMany: ReadModels['getMany'] = (collection, keys) => {
      if (collection.name === addresses.name) read.push(keys.length);
      return stores.readModels.getMany(collection, keys);
    };
    const commit: ReadModels['commit'] = (changes, ...rest) => {
      for (const { collection, document } of changes)
        written.set(collection.name, [...(written.get(collection.name) ?? []), JSON.stringify(document).length]);
      return stores.readModels.commit(changes, ...rest);
    };
    scene = runApp(composeApp({ ...stores, readModels: { ...stores.readModels, getMany, commit } }));
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
    written = new Map();
  });
  const apply = async (command: Parameters<typeof addressStep>[1]) =>
    scene.shown(await createHandle(stores.events, testSystem)(by, [addressStep(by, command, '')]));
  const importOf = (n: number) => apply({ type: 'Import', data: { address, walletId, asset: assetOf(n) } });
  const balanceOf = async (n: number) => {
    const [at] = headersOf('b', 1);
    assert.ok(at);
    const balances = [{ address, asset: assetOf(n), balance: '7' }];
    const recorded = { walletId, balances, at, chain: at.hash };
    await scene.shown(await recordBalances(createHandle(stores.events, testSystem), by, recorded));
  };
  const listed = async () =>
    (await scene.app.assets.list(by, { ...filter(), token: assetOf(1).contract }, page)).documents.map(
      ({ balance }) => balance,
    );
  const filter = () => ({ ...everyAsset, standard: 'native' as const, walletId, withTokens: true });
  const page = { size: 100, token: undefined };

  it('reads the document of the address once per hundred balances', async () => {
    const { documents } = await scene.app.assets.list(by, filter(), page);
    assert.equal(documents.length, 100);
    assert.ok(read.length <= 2, `${read.length} reads for a page`);
    assert.deepEqual(new Set(read), new Set([1]));
  });

  it('reads only the balances of the assets on the page when it aggregates', async () => {
    const { documents } = await scene.app.assets.listAggregated(by, filter(), { size: 20, token: undefined });
    assert.equal(documents.length, 20);
    assert.deepEqual(read, [1]);
  });

  it('aggregates each asset on one page only, in the order of the contracts', async () => {
    const found: string[] = [];
    let token: string | undefined;
    do {
      const part = await scene.app.assets.listAggregated(by, filter(), { size: 70, token });
      for (const { asset, balance } of part.documents) found.push(`${assetKey(asset)} ${balance}`);
      token = part.nextPageToken || undefined;
    } while (token);
    assert.deepEqual(
      found,
      Array.from({ length: count }, (_, n) => `${assetKey(assetOf(n))} 5`),
    );
  });

  it('makes another import cost two small documents', async () => {
    await importOf(count);
    const sizes = Object.fromEntries([...written].filter(([name]) => name !== 'usage'));
    assert.deepEqual(Object.keys(sizes).sort(), ['address_imports', 'registrations']);
    for (const [name, [size = 0, ...others]] of Object.entries(sizes)) assert.ok(size < 500 && !others[0], name);
  });

  it('makes the removal of the address cost no document for each token', async () => {
    await apply({ type: 'Remove', data: { address, walletId } });
    const changes = [...written.values()].flat();
    assert.ok(changes.length < 6, `${changes.length} documents were written`);
    assert.ok(Math.max(...changes) < 1000);
  });

  it('does not list a token that was imported only before the address was registered again', async () => {
    await apply({ type: 'Register', data: { address, walletId } });
    await balanceOf(1);
    assert.deepEqual(await listed(), []);
    await importOf(1);
    assert.deepEqual(await listed(), []);
    await balanceOf(1);
    assert.deepEqual(await listed(), ['7']);
  });
});
