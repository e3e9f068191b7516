import assert from 'node:assert/strict';
import type { Context } from '../../../application/commands/handle.js';
import type { NumberedStandard } from '../../../domain/asset.js';
import { addressOf } from '../../support/chains/evm-chain.js';
import { eventually } from '../../support/eventually.js';
import { allEvents, everyAsset, openStores } from '../../support/following/following.js';
import { startNeighbourhood } from '../../support/following/neighbours.js';

const [token, payer, anna] = ['token', 'payer', 'anna'].map(addressOf) as [string, string, string];
const page = { size: 10, token: undefined };

describe('RefreshAssetBalances from a given block', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: Awaited<ReturnType<typeof startNeighbourhood>>;
  let by: Context;
  let walletId: string;
  beforeEach(async () => {
    stores = await openStores();
    scene = await startNeighbourhood(stores, 'received');
    by = await scene.join('anna', [anna]);
    const found = await eventually(() => scene.app().wallets.find(by, { walletId: undefined, address: anna }));
    walletId = found.wallet_id;
  });
  afterEach(async () => {
    await scene.close();
    await stores.close();
  });

  const give = (standard: NumberedStandard, tokenId: string, from: string, to: string) =>
    scene.chain.mine([
      { from: payer, to: token, tokens: [{ asset: { standard, contract: token, tokenId }, from, to }] },
    ]);
  const register = async (standard: NumberedStandard) => {
    await eventually(async () => assert.equal(scene.app().followers[0]?.status()?.height, scene.chain.head().number));
    await scene.app().contracts.register(by, token, standard);
  };
  const refresh = (from: number, standard: NumberedStandard) =>
    scene.app().balances.refresh(by, { walletId, address: undefined, standard, from });
  const ended = (from: number, standard: NumberedStandard) =>
    eventually(async () => {
      assert.equal(await scene.app().refreshes.find(by, walletId, standard), null);
      assert.equal(await scene.app().refreshes.searchedFrom(by, walletId, standard), from);
    });
  const listed = async (standard: NumberedStandard) => {
    const { documents } = await scene.app().assets.list(by, { ...everyAsset, standard, walletId }, page);
    return new Set(documents.map(({ asset, balance }) => `${'tokenId' in asset ? asset.tokenId : ''}: ${balance}`));
  };

  it('lists the tokens held before RegisterContract, and the block from which the list is complete', async () => {
    scene.chain.deploy(token, { standard: 'erc721' });
    give('erc721', '1', payer, anna);
    give('erc721', '2', payer, anna);
    give('erc721', '3', payer, anna);
    give('erc721', '2', anna, payer);
    await register('erc721');
    assert.equal(await scene.app().refreshes.searchedFrom(by, walletId, 'erc721'), null);
    await refresh(2, 'erc721');
    await ended(2, 'erc721');
    assert.deepEqual(await listed('erc721'), new Set(['3: 1']));
    await refresh(0, 'erc721');
    await ended(0, 'erc721');
    assert.deepEqual(await listed('erc721'), new Set(['1: 1', '3: 1']));
  });
  it('covers the blocks up to the head, which were followed before RegisterContract', async () => {
    const depth = 10;
    await scene.app().wallets.updateConfirmation(by, walletId, depth);
    await eventually(async () =>
      assert.equal((await scene.app().wallets.find(by, { walletId, address: undefined })).confirmation, depth),
    );
    scene.chain.deploy(token, { standard: 'erc721' });
    give('erc721', '1', payer, anna);
    give('erc721', '2', payer, anna);
    for (let n = 0; n < depth; n++) scene.chain.mine();
    give('erc721', '2', anna, payer);
    give('erc721', '3', payer, anna);
    give('erc721', '4', payer, anna);
    give('erc721', '4', anna, payer);
    scene.chain.mine();
    await register('erc721');
    await refresh(0, 'erc721');
    await ended(0, 'erc721');
    assert.deepEqual(await listed('erc721'), new Set(['1: 1', '2: 1']));
    for (let n = 1; n < depth; n++) scene.chain.mine();
    await eventually(async () => assert.deepEqual(await listed('erc721'), new Set(['1: 1', '2: 0', '3: 1'])));
  });
  it('resumes with the next block after a restart', async () => {
    scene.chain.deploy(token, { standard: 'erc1155' });
    for (const id of ['1', '2', '3', '4', '5']) give('erc1155', id, payer, anna);
    await register('erc1155');
    scene.script.searchesUpTo = 3;
    await refresh(0, 'erc1155');
    await eventually(async () => {
      const found = await scene.app().refreshes.find(by, walletId, 'erc1155');
      assert.equal((found as { searched?: number } | null)?.searched, 3);
    });
    assert.equal(await scene.app().refreshes.searchedFrom(by, walletId, 'erc1155'), null);
    scene.script.searchesUpTo = Number.POSITIVE_INFINITY;
    await scene.restart();
    await ended(0, 'erc1155');
    assert.equal((await listed('erc1155')).size, 5);
    assert.deepEqual([...new Set(scene.counts.searched)], [0, 4]);
    const advanced = (await allEvents(stores.events)).filter(({ type }) => type === 'RefreshAdvanced');
    assert.deepEqual(
      advanced.map(({ data }) => (data as { searched?: number }).searched),
      [3, undefined],
    );
  });
  it('joins a running refresh from the same block, and is rejected while a different one is running', async () => {
    scene.chain.deploy(token, { standard: 'erc721' });
    give('erc721', '1', payer, anna);
    await register('erc721');
    scene.script.searchesUpTo = -1;
    await refresh(1, 'erc721');
    await refresh(1, 'erc721');
    await assert.rejects(refresh(0, 'erc721'), { code: 'CONFLICT' });
    const started = (await allEvents(stores.events)).filter(({ type }) => type === 'RefreshStarted');
    assert.equal(started.length, 1);
  });
  it('is rejected for a single address and for balances that need no search', async () => {
    const { balances } = scene.app();
    const invalidArgument = { code: 'INVALID_ARGUMENT' };
    await assert.rejects(
      balances.refresh(by, { walletId, address: anna, standard: 'erc721', from: 0 }),
      invalidArgument,
    );
    for (const standard of ['native', 'erc20'] as const)
      await assert.rejects(balances.refresh(by, { walletId, address: undefined, standard, from: 0 }), invalidArgument);
  });
  it('is charged by the number of addresses and blocks that it searches', async () => {
    for (let n = 0; n < 250; n++) scene.chain.mine();
    const touched: number[] = [];
    const charged = { ...by, touch: (count: number) => void touched.push(count) };
    await scene.app().balances.refresh(charged, { walletId, address: undefined, standard: 'erc721', from: 0 });
    assert.deepEqual(touched, [1 + Math.ceil(scene.chain.head().number / 100)]);
  });
});
