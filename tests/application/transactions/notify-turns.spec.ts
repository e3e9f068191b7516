import assert from 'node:assert/strict';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import { supervise } from '../../../application/processes/supervise.js';
import { createTransactionNotifier } from '../../../application/transactions/notify.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import { eventually, forGood } from '../../support/eventually.js';
import { crashableStores } from '../../support/following/crashable-stores.js';
import { allEvents, composeApp, contextOf, processOf } from '../../support/following/following.js';
import { storeKinds } from '../../support/following/store-kinds.js';
import { testSystem } from '../../support/silent.js';

const [greedy, modest] = [contextOf('org_greedy'), contextOf('org_modest')];
/** Number of deliveries in two batches, the most that may precede another organization's delivery. */
const twoBatches = 64;

const createdOf = (transactionId: string) => {
  const sent = { walletId: 'wal_1', from: '0xaa', to: '0xbb', value: '1', gas: '2', gasPrice: '3', data: '0x' };
  return { ...sent, transactionId, chain: '0xb0', chainId: 1, request: 'r', nonce: 0 };
};

for (const { name, isEmbedded, open } of storeKinds)
  describe(`notifications of managed transactions, on ${name}`, function () {
    this.timeout(400_000);
    const [webhooks, changes] = isEmbedded ? [100, 40] : [40, 10];
    let stores: Awaited<ReturnType<typeof open>>;
    let life: ReturnType<typeof crashableStores>;
    let stop: AbortController;
    let running: Promise<unknown>[];
    let isGreedyRejected: boolean;
    let canceled = 0;

    const start = () => {
      stop = new AbortController();
      const append: EventStore['append'] = async (writes) => {
        if (isGreedyRejected && writes.some(({ stream }) => stream.startsWith('org_greedy.delivery')))
          throw new Error('the store rejects this write');
        return life.stores.events.append(writes);
      };
      const given = { ...life.stores, events: { ...life.stores.events, append } };
      const app = composeApp(given);
      const notifier = createTransactionNotifier({ ...given, ...app });
      running = [processOf(app, 'projector').run, notifier].map((run) =>
        supervise('test', run, stop.signal, testSystem),
      );
      return app;
    };
    const end = async () => {
      stop.abort();
      await Promise.all(running);
    };
    beforeEach(async () => {
      stores = await open();
      life = crashableStores(stores);
      isGreedyRejected = false;
      const app = start();
      const wanted = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
      for (let n = 0; n < webhooks; n++) await app.webhooks.register(greedy, wanted);
      await app.webhooks.register(modest, wanted);
    });
    afterEach(async () => {
      await end();
      await stores.close();
    });

    const cancelTransactions = async (context: typeof greedy, count: number) => {
      const handle = createHandle(stores.events, testSystem);
      for (let n = 0; n < count; n++) {
        const transactionId = `tx_${canceled++}`;
        await handle(context, [transactionStep(context, { type: 'Create', data: createdOf(transactionId) })]);
        await handle(context, [transactionStep(context, { type: 'Cancel', data: { transactionId } })]);
      }
    };
    const notices = async ({ organizationId }: typeof greedy) =>
      (await allEvents(stores.events)).flatMap(({ type, data, metadata, position }) =>
        type === 'DeliveryRequested' && metadata.organizationId === organizationId
          ? [{ position, deliveryId: (data as { deliveryId: string }).deliveryId }]
          : [],
      );
    const isNotifiedOnce = async (context: typeof greedy, count: number) => {
      const found = await notices(context);
      forGood(() => assert.ok(found.length <= count, `${found.length} notices were requested instead of ${count}`));
      assert.equal(found.length, count);
      assert.equal(new Set(found.map(({ deliveryId }) => deliveryId)).size, count);
    };

    it('keep another organization waiting for at most two batches of them', async () => {
      await end();
      await cancelTransactions(greedy, changes);
      await cancelTransactions(modest, 1);
      start();
      await eventually(() => isNotifiedOnce(greedy, webhooks * changes));
      const [own] = await notices(modest);
      assert.ok(own);
      const earlier = (await notices(greedy)).filter(({ position }) => position < own.position);
      assert.ok(earlier.length <= twoBatches, `${earlier.length} notices of the neighbour came first`);
    });

    it("do not keep another organization's from being requested while all of them fail", async () => {
      isGreedyRejected = true;
      await cancelTransactions(greedy, 1);
      await cancelTransactions(modest, 1);
      await eventually(() => isNotifiedOnce(modest, 1));
      assert.equal((await notices(greedy)).length, 0);
      isGreedyRejected = false;
      await eventually(() => isNotifiedOnce(greedy, webhooks));
    });

    it('are each requested once, even when the process is killed in between', async () => {
      await cancelTransactions(greedy, changes);
      await cancelTransactions(modest, 1);
      await eventually(async () => assert.ok((await notices(greedy)).length > 0));
      life.dieAfter(0);
      await end();
      life.revive();
      start();
      await eventually(() => isNotifiedOnce(greedy, webhooks * changes));
      await eventually(() => isNotifiedOnce(modest, 1));
    });
  });
