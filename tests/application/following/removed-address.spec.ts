import assert from 'node:assert/strict';
import { addressOf } from '../../support/chains/evm-chain.js';
import { eventually } from '../../support/eventually.js';
import { allEvents } from '../../support/following/following.js';
import { startNeighbourhood } from '../../support/following/neighbours.js';
import { storeKinds } from '../../support/following/store-kinds.js';

const payer = addressOf('payer');
const [once, restarted, whole] = ['once', 'restarted', 'whole'].map(addressOf) as [string, string, string];

for (const { name, open } of storeKinds)
  describe(`an address that is removed while the follower lags, on ${name}`, () => {
    let stores: Awaited<ReturnType<typeof open>>;
    let scene: Awaited<ReturnType<typeof startNeighbourhood>>;
    before(async () => {
      stores = await open();
      scene = await startNeighbourhood(stores, 'removed-address', { isHeadAtHand: true });
    });
    after(async () => {
      await scene?.close();
      await stores?.close();
    });

    const pay = (to: string, value: bigint) => scene.chain.mine([{ from: payer, to, value }]);
    const caughtUp = () =>
      eventually(async () => assert.equal(scene.app().followers[0]?.status()?.height, scene.chain.head().number));
    const valuesTo = async (to: string) =>
      (await allEvents(stores.events)).flatMap(({ type, data }) => {
        const { transfer } = data as { transfer?: { to: string; value: string } };
        return type === 'TransferObserved' && transfer?.to === to ? [transfer.value] : [];
      });
    /** Pays twice before the removal and once after the removal, while no block can be read. */
    const removeBehind = async (address: string, meanwhile: () => Promise<unknown>, isAll = false) => {
      const by = await scene.join(address.slice(2, 8), [address]);
      const { wallet_id: walletId } = await eventually(() => scene.app().addresses.find(by, address));
      pay(address, 1n);
      await caughtUp();
      scene.script.isAway = true;
      pay(address, 2n);
      pay(address, 3n);
      const { addresses } = scene.app();
      if (isAll) await addresses.removeAll(by, walletId);
      else await addresses.remove(by, { walletId, inputs: [{ text: address, path: '' }] });
      pay(address, 4n);
      await meanwhile();
      scene.script.isAway = false;
      await caughtUp();
    };

    it('keeps deposits in blocks before its removal, and none in later blocks', async () => {
      await removeBehind(once, async () => undefined);
      assert.deepEqual(await valuesTo(once), ['1', '2', '3']);
      pay(once, 5n);
      await caughtUp();
      assert.equal((await valuesTo(once)).length, 3);
    });

    it('keeps these deposits when the follower is restarted before it has caught up', async () => {
      await removeBehind(restarted, scene.restart);
      assert.deepEqual(await valuesTo(restarted), ['1', '2', '3']);
    });

    it('keeps these deposits when all addresses of the wallet are removed', async () => {
      await removeBehind(whole, async () => undefined, true);
      assert.deepEqual(await valuesTo(whole), ['1', '2', '3']);
    });
  });
