import assert from 'node:assert/strict';
import type { Chain } from '../../../../application/ports/chain.js';
import { tonChain } from '../../../../infrastructure/chains/ton/connector.js';
import { startTonIndex } from '../../../support/chains/ton-index.js';
import { createTonScript, jettonWalletOf, master, type TonScript } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { eventually } from '../../../support/eventually.js';
import {
  contextOf,
  everyAsset,
  importedBy,
  openStores,
  type Running,
  startFollowing,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';
import { silent } from '../../../support/silent.js';

const variant = variantOf('t');
const [payer, modest, hostile] = ['payer', 'modest', 'hostile'].map(accountOf) as [string, string, string];
const crowd = Array.from({ length: 200 }, (_, n) => accountOf(`crowd ${n}`));
/** Jetton master of the hostile organization, which returns the same contract as the wallet of every owner. */
const ownMaster = accountOf('own master');
const contract = accountOf('contract');
const failing = { status: 500, body: { error: 'unsupported stack entry', code: 500 } };
const outOfGas = { status: 200, body: { exit_code: -14, stack: [] } };

type Member = { readonly by: ReturnType<typeof contextOf>; readonly walletId: string };

describe('next to a greedy or hostile organization on TON, another one', function () {
  this.timeout(240_000);
  let script: TonScript;
  let index: Awaited<ReturnType<typeof startTonIndex>>;
  let chain: Chain;
  let stores: Awaited<ReturnType<typeof openStores>>;
  let running: Running;

  const start = async () => {
    chain = await tonChain([index.url], silent, { deadlineMs: 20_000, timeoutMs: 10_000, maxRestMs: 200 });
    running = startFollowing(stores, chain, { variant, fromGenesis: false });
  };
  const stop = async () => {
    await running.stop();
    await chain.close();
  };
  const followed = () =>
    eventually(async () => assert.equal(running.app.followers[0]?.status()?.height, script.blocks.length));
  beforeEach(async () => {
    script = createTonScript(-3, Math.floor(Date.now() / 1000));
    script.mine();
    index = await startTonIndex(script, { falseMasters: { [ownMaster]: contract } });
    stores = await openStores();
    await start();
    await followed();
  });
  afterEach(async () => {
    await stop();
    await index.close();
    await stores.close();
  });

  /** Starts again on an index that lists no jetton wallets, so that balances of jettons come from get methods. */
  const restartWithoutList = async () => {
    await stop();
    await index.close();
    index = await startTonIndex(script, { noWallets: true });
    index.getMethods.reports = 'block';
    await start();
    await followed();
  };

  const join = async (organization: string, addresses: readonly string[]): Promise<Member> => {
    const by = contextOf(`org_${organization}`, variant);
    const { answer } = await running.app.wallets.register(by, { name: organization, address: undefined } as never);
    const inputs = addresses.map((text) => ({ text, path: '' }));
    const { position } = await running.app.addresses.register(by, { walletId: answer.wallet_id, inputs });
    await running.app.progress.reached(position, 60_000);
    return { by, walletId: answer.wallet_id };
  };
  const importToken = ({ by }: Member, address: string, token: string) =>
    running.app.imports.importAsset(by, { address, token, account: undefined });
  const statesOf = async ({ by, walletId }: Member) =>
    (await transfersOf(running.app, by, walletId)).map(({ transfer, state }) => `${transfer.value} ${state}`);
  const balancesOf = async ({ by, walletId }: Member, token?: string) => {
    const filter = { ...everyAsset, walletId, standard: 'native', ...(token && { token }) } as const;
    return (await running.app.assets.list(by, filter, { size: 500, token: undefined })).documents;
  };

  for (const [name, reply] of Object.entries({ 'fails with status 500': failing, 'runs out of gas': outOfGas }))
    it(`has its deposits while the get method of an imported contract ${name}`, async () => {
      const [attacker, victim] = [await join('attacker', [hostile]), await join('victim', [modest])];
      index.undeployed.add(contract);
      await importToken(attacker, hostile, ownMaster);
      index.undeployed.clear();
      index.replies.set(contract, reply);
      for (const value of [5n, 6n, 7n]) {
        script.mine([
          { from: payer, to: modest, value },
          { from: hostile, to: contract, value: 1n },
        ]);
        await followed();
      }
      await eventually(async () => assert.deepEqual(await statesOf(victim), ['7 SUCCESS', '6 SUCCESS', '5 SUCCESS']));
      await eventually(async () =>
        assert.deepEqual(
          (await balancesOf(victim)).map(({ balance }) => balance),
          [String(script.balance(modest))],
        ),
      );
    });

  for (const [name, reply] of Object.entries({ 'fails with status 500': failing, 'runs out of gas': outOfGas }))
    it(`stores no import of a jetton while the get method of its active wallet ${name}`, async () => {
      await restartWithoutList();
      const [first, second] = [await join('first', [modest]), await join('second', [modest])];
      const wallet = jettonWalletOf(modest);
      index.replies.set(wallet, reply);
      await assert.rejects(importToken(first, modest, master));
      assert.deepEqual(await importedBy(stores.events), []);
      index.replies.clear();
      await importToken(first, modest, master);
      index.replies.set(wallet, reply);
      // The connector knows the owner and the master of the wallet by now, so that only the balance is missing.
      await assert.rejects(importToken(second, modest, master));
      assert.deepEqual(await importedBy(stores.events), [first.by.organizationId]);
    });

  it('has the deposits to its new jetton wallet once the get method of the wallet answers, also after a restart', async () => {
    const victim = await join('victim', [modest]);
    const wallet = jettonWalletOf(modest);
    index.undeployed.add(wallet);
    await importToken(victim, modest, master);
    index.undeployed.clear();
    index.replies.set(wallet, failing);
    for (const value of [5n, 6n]) {
      script.mine([{ from: payer, to: modest, value, kind: 'jetton' }]);
      await followed();
    }
    await stop();
    await start();
    script.mine([{ from: payer, to: modest, value: 7n, kind: 'jetton' }]);
    await followed();
    assert.deepEqual(await statesOf(victim), []);
    index.replies.clear();
    const expected = ['5 SUCCESS', '6 SUCCESS', '7 SUCCESS'];
    await eventually(async () => assert.deepEqual(new Set(await statesOf(victim)), new Set(expected)));
    script.mine([{ from: payer, to: modest, value: 8n, kind: 'jetton' }]);
    await eventually(async () => assert.deepEqual((await statesOf(victim)).length, 4));
    await eventually(async () =>
      assert.deepEqual(
        (await balancesOf(victim, master)).map(({ balance }) => balance),
        [String(script.jettonBalance(wallet))],
      ),
    );
  });

  it('has its deposit and its balance while hundreds of addresses are paid and the index limits requests', async () => {
    const [greedy, victim] = [await join('greedy', crowd), await join('victim', [modest])];
    index.limits.maxInTenth = 2;
    const paid = crowd.map((to) => ({ from: payer, to, value: 1n }));
    script.mine([...paid, { from: payer, to: modest, value: 7n }]);
    await eventually(async () => assert.deepEqual(await statesOf(victim), ['7 SUCCESS']));
    await eventually(async () =>
      assert.deepEqual(
        (await balancesOf(victim)).map(({ balance }) => balance),
        [String(script.balance(modest))],
      ),
    );
    index.limits.maxInTenth = Number.POSITIVE_INFINITY;
    await eventually(async () => assert.equal((await balancesOf(greedy)).length, crowd.length));
  });
});
