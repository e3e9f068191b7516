import assert from 'node:assert/strict';
import { addressOf } from '../../support/chains/evm-chain.js';
import { eventually } from '../../support/eventually.js';
import { allEvents } from '../../support/following/following.js';
import { startNeighbourhood } from '../../support/following/neighbours.js';
import { storeKinds } from '../../support/following/store-kinds.js';

const payer = addressOf('payer');
const watched = addressOf('watched');
/**
 * Number of blocks. It is greater than the depth at which nodes report a block as final, and greater than `deepest`,
 * the depth at which every webhook is notified.
 */
const blocks = 200;
const deepest = 128;
const rounds = 4;

for (const { name, open } of storeKinds)
  describe(`a webhook with the maximum number of confirmations, on ${name}`, function () {
    this.timeout(400_000);
    let stores: Awaited<ReturnType<typeof open>>;
    let scene: Awaited<ReturnType<typeof startNeighbourhood>>;
    before(async () => {
      stores = await open();
      scene = await startNeighbourhood(stores, 'deep-webhooks');
      const by = await scene.join('patient', [watched]);
      const hook = { walletId: undefined, endpoint: 'https://example.com/hook', confirmation: Number.MAX_SAFE_INTEGER };
      // Registers a webhook as stored before confirmations had a limit. The API operation would reject it.
      await scene.app().webhooks.register(by, hook);
      for (let n = 1; n <= blocks; n++) scene.chain.mine([{ from: payer, to: watched, value: BigInt(n) }]);
    });
    after(async () => {
      await scene?.close();
      await stores?.close();
    });

    const count = async (wanted: string) =>
      (await allEvents(stores.events)).filter(({ type }) => type === wanted).length;

    it('is notified of transfers that are 128 blocks deep', async () => {
      await eventually(async () => {
        assert.equal(await count('TransferConfirmed'), blocks);
        assert.equal(await count('ActivityClosed'), blocks - deepest + 1);
        // Slow balance reads may end after their transfers were confirmed.
        assert.equal(await count('BalanceRead'), blocks);
      });
      assert.equal(await count('DeliveryRequested'), blocks - deepest + 1);
    });

    it('causes no request to a node while the chain makes no blocks', async () => {
      const before = { ...scene.counts };
      await eventually(async () => assert.ok(scene.counts.head >= before.head + rounds));
      assert.deepEqual({ ...scene.counts, head: 0 }, { ...before, head: 0 });
    });
  });
