import assert from 'node:assert/strict';
import type { Context } from '../../../../application/commands/handle.js';
import type { Chain } from '../../../../application/ports/chain.js';
import { createSuiLedger, type SuiLedger } from '../../../../infrastructure/chains/development/sui/ledger.js';
import { fullAddress } from '../../../../infrastructure/chains/sui/addresses.js';
import { nativeCoinType } from '../../../../infrastructure/chains/sui/coin-type.js';
import { suiChain } from '../../../../infrastructure/chains/sui/connector.js';
import { type SuiNode, startSuiNode } from '../../../support/chains/sui-node.js';
import { eventually } from '../../../support/eventually.js';
import {
  allEvents,
  coinsOf,
  contextOf,
  importedBy,
  openStores,
  type Running,
  startFollowing,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';
import { silent } from '../../../support/silent.js';

const variant = variantOf('s');
const payer = fullAddress('0xf');
const modest = `0x${'a1'.repeat(32)}`;
const crowd = Array.from({ length: 200 }, (_, n) => fullAddress(`0x${n + 256}`));
const [one = '', two = ''] = crowd;
/** Coin type that the hostile organization imports, and that ends with the name of a well-known coin. */
const ownCoin = `${fullAddress('0xbad')}::usd::USD`;

describe('next to a greedy or hostile organization on Sui, another one', function () {
  this.timeout(240_000);
  let ledger: SuiLedger;
  let node: SuiNode;
  let chain: Chain;
  let stores: Awaited<ReturnType<typeof openStores>>;
  let running: Running;
  beforeEach(async () => {
    ledger = createSuiLedger(Date.now);
    ledger.makeCheckpoint();
    node = await startSuiNode(ledger);
    stores = await openStores();
    chain = await suiChain([node.url], silent);
    running = startFollowing(stores, chain, { variant, fromGenesis: false });
    await eventually(async () => assert.equal(running.app.followers[0]?.status()?.height, ledger.height()));
  });
  afterEach(async () => {
    await running.stop();
    await chain.close();
    await node.close();
    await stores.close();
  });

  const join = async (organization: string, addresses: readonly string[]) => {
    const by = contextOf(`org_${organization}`, variant);
    const wallet = { name: organization, confirmation: 1, address: undefined, importAsset: undefined };
    const { answer } = await running.app.wallets.register(by, wallet);
    const inputs = addresses.map((text) => ({ text, path: '' }));
    const { position } = await running.app.addresses.register(by, { walletId: answer.wallet_id, inputs });
    await running.app.progress.reached(position, 60_000);
    return { by, walletId: answer.wallet_id };
  };
  type Member = { readonly by: Context; readonly walletId: string };
  const issue = (address: string, amount: bigint, coinType = nativeCoinType) =>
    ledger.execute({ sender: payer, changes: [{ address, coinType, amount }] });
  const balancesOf = async ({ by, walletId }: Member) =>
    (await coinsOf(running.app, by, walletId)).map(({ balance }) => balance);
  const statesOf = async ({ by, walletId }: Member) =>
    (await transfersOf(running.app, by, walletId)).map(({ transfer, state }) => `${transfer.value} ${state}`);

  it('has its deposit and its balance while hundreds of balances are read from a rate-limited node', async () => {
    const greedy = await join('greedy', crowd);
    const other = await join('modest', [modest]);
    node.faults.maxInTenth = 3;
    for (const address of crowd) issue(address, 1n);
    issue(modest, 7n);
    ledger.makeCheckpoint();
    await eventually(async () => assert.deepEqual(await balancesOf(other), ['7']));
    await eventually(async () => assert.deepEqual(await statesOf(other), ['7 SUCCESS']));
    node.heal();
    await eventually(async () => assert.equal((await balancesOf(greedy)).length, crowd.length));
    await eventually(async () => assert.deepEqual(new Set(await balancesOf(greedy)), new Set(['1'])));
    const read = (await allEvents(stores.events)).filter(({ type }) => type === 'BalanceRead');
    const before = read.findIndex(({ metadata }) => metadata.organizationId === other.by.organizationId);
    assert.ok(before < crowd.length, 'the other waited for all balances of the greedy one');
  });

  it('is unaffected by a coin whose balances no node returns: only that coin is set aside', async () => {
    const [hostile, other] = [await join('hostile', [one, two]), await join('modest', [modest])];
    issue(one, 5n, ownCoin);
    ledger.makeCheckpoint();
    await running.app.imports.importAsset(hostile.by, { address: one, token: ownCoin, account: undefined });
    node.refuseCoin(ownCoin);
    await assert.rejects(
      running.app.imports.importAsset(hostile.by, { address: two, token: ownCoin, account: undefined }),
    );
    issue(one, 6n, ownCoin);
    issue(one, 3n);
    issue(modest, 7n);
    ledger.makeCheckpoint();
    await eventually(async () => assert.deepEqual(await balancesOf(other), ['7']));
    await eventually(async () => assert.deepEqual(await balancesOf(hostile), ['3']));
    await eventually(async () => assert.ok((await statesOf(hostile)).every((state) => state.endsWith(' SUCCESS'))));
    await eventually(async () => {
      const aside = (await allEvents(stores.events)).filter(({ type }) => type === 'BalanceSetAside');
      assert.deepEqual(new Set(aside.map(({ metadata }) => metadata.organizationId)), new Set(['org_hostile']));
    });
  });

  for (const [name, fail] of Object.entries({
    'no node returns': () => node.refuseCoin(ownCoin),
    'cannot be read': () => node.limitBalances(0),
  }))
    it(`stores no import of a coin whose balance ${name}`, async () => {
      const other = await join('modest', [modest]);
      issue(modest, 5n, ownCoin);
      ledger.makeCheckpoint();
      const named = { address: modest, token: ownCoin, account: undefined };
      fail();
      await assert.rejects(running.app.imports.importAsset(other.by, named));
      assert.deepEqual(await importedBy(stores.events), []);
      node.refuseCoin(null);
      node.limitBalances(Number.POSITIVE_INFINITY);
      await running.app.imports.importAsset(other.by, named);
      assert.deepEqual(await importedBy(stores.events), [other.by.organizationId]);
    });

  it('sees no deposit of a coin that only the hostile organization has imported', async () => {
    const [hostile, other] = [await join('hostile', [one, two]), await join('modest', [modest])];
    issue(one, 5n, ownCoin);
    ledger.makeCheckpoint();
    await running.app.imports.importAsset(hostile.by, { address: one, token: ownCoin, account: undefined });
    ledger.execute({
      sender: one,
      changes: [
        { address: one, coinType: ownCoin, amount: -2n },
        { address: modest, coinType: ownCoin, amount: 2n },
      ],
    });
    issue(modest, 7n);
    ledger.makeCheckpoint();
    await eventually(async () => assert.ok((await statesOf(hostile)).includes('2 SUCCESS')));
    await eventually(async () => assert.deepEqual(await statesOf(other), ['7 SUCCESS']));
  });
});
