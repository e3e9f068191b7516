import assert from 'node:assert/strict';
import type { EventStore, StreamWrite } from '../../../application/ports/event-store.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { addressOf } from '../../support/chains/evm-chain.js';
import { eventually, forGood } from '../../support/eventually.js';
import { crashableStores } from '../../support/following/crashable-stores.js';
import { allEvents } from '../../support/following/following.js';
import { startNeighbourhood } from '../../support/following/neighbours.js';
import { storeKinds } from '../../support/following/store-kinds.js';

const payer = addressOf('payer');
const [greedy, modest] = [addressOf('greedy'), addressOf('modest')];
/** Number of deliveries in two batches, the most that may precede another organization's delivery. */
const twoBatches = 64;

type Notice = { readonly deliveryId: string; readonly data: { readonly state: string } };

const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};
const isNoticeOf = (organization: string) => (write: StreamWrite) =>
  write.events.some(({ type }) => type === 'DeliveryRequested') && write.stream.startsWith(`org_${organization}.`);

for (const { name, isEmbedded, open } of storeKinds)
  describe(`notifications to many webhooks, on ${name}`, function () {
    this.timeout(400_000);
    const webhooks = isEmbedded ? 500 : 150;
    let stores: Awaited<ReturnType<typeof open>>;
    let life: ReturnType<typeof crashableStores>;
    let held = gate();
    held.open();
    let scene: Awaited<ReturnType<typeof startNeighbourhood>>;
    let webhookReads = 0;
    before(async () => {
      stores = await open();
      life = crashableStores(stores);
      const append: EventStore['append'] = async (writes) => {
        if (writes.some(isNoticeOf('greedy'))) await held.opened;
        return life.stores.events.append(writes);
      };
      const get: ReadModels['get'] = (collection, key) => {
        if (collection.name === 'webhooks') webhookReads++;
        return life.stores.readModels.get(collection, key);
      };
      const counted = { events: { ...life.stores.events, append }, readModels: { ...life.stores.readModels, get } };
      scene = await startNeighbourhood({ ...life.stores, ...counted }, 'fan-out');
      await scene.join('greedy', [greedy], webhooks);
      await scene.join('modest', [modest], 1);
    });
    after(async () => {
      await scene?.close();
      await stores?.close();
    });

    const notices = async (organization: string) =>
      (await allEvents(stores.events)).flatMap(({ type, data, metadata, position }) =>
        type === 'DeliveryRequested' && metadata.organizationId === `org_${organization}`
          ? [{ position, ...(data as Notice) }]
          : [],
      );
    const isNotifiedOnce = (found: readonly Notice[], count: number) => {
      forGood(() => assert.ok(found.length <= count, `${found.length} notices were requested instead of ${count}`));
      assert.equal(found.length, count);
      assert.equal(new Set(found.map(({ deliveryId }) => deliveryId)).size, count);
    };

    it('keep another organization waiting for at most two batches of them', async () => {
      scene.chain.mine([
        { from: payer, to: greedy, value: 1n },
        { from: payer, to: modest, value: 2n },
      ]);
      await eventually(async () => isNotifiedOnce(await notices('greedy'), webhooks));
      await eventually(async () => isNotifiedOnce(await notices('modest'), 1));
      const [own] = await notices('modest');
      assert.ok(own);
      const earlier = (await notices('greedy')).filter(({ position }) => position < own.position);
      assert.ok(earlier.length <= twoBatches, `${earlier.length} notices of the neighbour came first`);
    });

    it("do not keep other organizations' blocks from being recorded and notified while all of them are stuck", async () => {
      held = gate();
      scene.chain.mine([{ from: payer, to: greedy, value: 3n }]);
      await eventually(async () => assert.equal(scene.app().followers[0]?.status()?.height, 2));
      scene.chain.mine([{ from: payer, to: modest, value: 4n }]);
      await eventually(async () => assert.equal((await notices('modest')).length, 2));
      assert.equal((await notices('greedy')).length, webhooks);
      held.open();
      await eventually(async () => isNotifiedOnce(await notices('greedy'), 2 * webhooks));
    });

    it('are each requested once, even when the process is killed in between', async () => {
      scene.chain.mine([{ from: payer, to: greedy, value: 5n }]);
      await eventually(async () => assert.ok((await notices('greedy')).length > 2 * webhooks));
      life.dieAfter(0);
      await scene.restart();
      life.revive();
      await scene.restart();
      await eventually(async () => isNotifiedOnce(await notices('greedy'), 3 * webhooks));
    });

    it('are retracted from every webhook that was notified', async () => {
      scene.chain.reorganize(1, [[], []]);
      const removed = async () =>
        (await notices('greedy')).filter(({ data }) => data.state === 'TRANSFER_STATE_REMOVED');
      await eventually(async () => isNotifiedOnce(await removed(), webhooks));
      assert.equal((await notices('greedy')).length, 4 * webhooks);
    });

    it("of many transfers read the webhook's document once per batch", async () => {
      const [transfers, before] = [2 * twoBatches, (await notices('modest')).length];
      webhookReads = 0;
      scene.chain.mine(
        Array.from({ length: transfers }, (_, n) => ({ from: payer, to: modest, value: BigInt(n + 1) })),
      );
      await eventually(async () => isNotifiedOnce(await notices('modest'), before + transfers));
      assert.equal(webhookReads, (2 * transfers) / twoBatches);
    });
  });
