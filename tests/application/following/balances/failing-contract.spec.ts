import assert from 'node:assert/strict';
import type { Asset } from '../../../../domain/asset.js';
import { addressOf } from '../../../support/chains/evm-chain.js';
import { eventually } from '../../../support/eventually.js';
import { allEvents } from '../../../support/following/following.js';
import { startNeighbourhood } from '../../../support/following/neighbours.js';
import { storeKinds } from '../../../support/following/store-kinds.js';

const bad = addressOf('burns all gas');
const good = addressOf('a token');
const [burning, honest] = [bad, good].map((contract) => ({ standard: 'erc20', contract }) as const) as [Asset, Asset];
const payer = addressOf('payer');
const greedy = Array.from({ length: 300 }, (_, n) => addressOf(`greedy ${n}`));
const modest = addressOf('modest');

for (const { name, isEmbedded, open } of storeKinds)
  describe(`a token contract whose balances cannot be read, on ${name}`, () => {
    const paid = isEmbedded ? greedy : greedy.slice(0, 40);
    let stores: Awaited<ReturnType<typeof open>>;
    let scene: Awaited<ReturnType<typeof startNeighbourhood>>;
    before(async () => {
      stores = await open();
      scene = await startNeighbourhood(stores, 'failing-contract', { isClockStill: true });
      for (const token of [bad, good]) scene.chain.deploy(token, { standard: 'erc20' } as never);
    });
    after(async () => {
      await scene?.close();
      await stores?.close();
    });

    /** Counts the events by organization and type, and balance events also by contract. */
    const tally = async () => {
      const found: Record<string, number> = {};
      for (const { type, data, metadata } of await allEvents(stores.events)) {
        const contract = type === 'BalanceRead' ? (data as { asset: { contract?: string } }).asset.contract : undefined;
        for (const key of [`${metadata.organizationId} ${type}`, `${type} ${contract}`])
          found[key] = (found[key] ?? 0) + 1;
      }
      return found;
    };
    const pay = (tokens: readonly Asset[], to: readonly string[]) => ({
      from: payer,
      to: bad,
      input: '0xaa',
      tokens: to.flatMap((address) => tokens.map((asset) => ({ asset, from: payer, to: address, value: 1n }) as never)),
    });

    it('delays no confirmation or notification of any organization, and is found with few calls', async () => {
      const by = await scene.join('greedy', paid, 1);
      await scene.app().contracts.register(by, bad, 'erc20');
      await scene.app().contracts.register(by, good, 'erc20');
      await scene.join('modest', [modest], 1);
      scene.script.fails = (holdings) => holdings.some(({ asset }) => 'contract' in asset && asset.contract === bad);
      scene.chain.mine([pay([burning, honest], paid), { from: payer, to: modest, value: 7n }]);
      await eventually(async () => {
        const found = await tally();
        const recorded = ['TransferConfirmed', 'DeliveryRequested'].map((type) => [
          found[`org_modest ${type}`],
          found[`org_greedy ${type}`],
        ]);
        assert.deepEqual(recorded, Array(2).fill([1, 2 * paid.length]));
        assert.equal(found['org_modest BalanceRead'], 1);
        assert.equal(found[`BalanceRead ${good}`], paid.length);
        assert.equal(found['org_greedy BalanceSetAside'], paid.length);
      });
      assert.ok(scene.counts.failed <= 12, `${scene.counts.failed} calls failed`);
    });

    it('is flagged in ListContracts, and is not called again for a while, even after a restart', async () => {
      await scene.app().progress.reached(await scene.app().status.head(), 5000);
      const listed = await scene.app().contracts.list(scene.context('greedy'));
      assert.deepEqual(
        new Map(listed.map(({ contract, balance_problem }) => [contract, balance_problem?.reason])),
        new Map([
          [good, undefined],
          [bad, 'the node gave no answer in time'],
        ]),
      );
      await scene.restart();
      const { failed } = scene.counts;
      scene.chain.mine([pay([burning], paid.slice(0, 5))]);
      await eventually(async () => assert.equal((await tally())['org_greedy BalanceSetAside'], paid.length + 5));
      assert.equal(scene.counts.failed, failed);
    });

    it('is retried with exponential backoff, and has all its balances read once it answers', async () => {
      const { failed } = scene.counts;
      scene.script.clockMs += 16_000;
      await eventually(async () => assert.equal(scene.counts.failed, failed + 1));
      scene.script.fails = () => false;
      scene.script.clockMs += 16_000;
      scene.chain.mine();
      await eventually(async () => assert.equal(scene.app().followers[0]?.status()?.height, scene.chain.head().number));
      assert.equal((await tally())[`BalanceRead ${bad}`], undefined);
      scene.script.clockMs += 31_000;
      await eventually(async () => {
        const found = await tally();
        assert.equal(found[`BalanceRead ${bad}`], paid.length);
        assert.equal(found['org_greedy ContractBalancesRecovered'], 1);
      });
    });
  });
