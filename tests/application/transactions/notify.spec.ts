import assert from 'node:assert/strict';
import { createHandle } from '../../../application/commands/handle.js';
import type { RebuildableReadModels } from '../../../application/ports/generations.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import type { TransactionCommand } from '../../../domain/aggregates/transaction.js';
import { historySealed } from '../../../domain/aggregates/webhook.js';
import { eventually } from '../../support/eventually.js';
import { useAppProcesses } from '../../support/following/app-processes.js';
import { composeApp, contextOf } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const context = contextOf('org_a');
const [webhooks, transactions] = [5, 40];
/** Number of changes that are notified in one batch. */
const pieceSize = 32;

const commandsOf = (n: number): readonly TransactionCommand[] => {
  const named = { transactionId: `tx_${n}` };
  const created = { walletId: 'wal_1', from: '0xaa', chain: '0xb0', chainId: 1, request: 'r', nonce: n, to: '0xbb' };
  return [
    { type: 'Create', data: { ...named, ...created, value: '1', gas: '2', gasPrice: '3', data: '0x' } },
    { type: 'Sign', data: { ...named, raw: '0x01', hash: `0x${n}` } },
    { type: 'Send', data: named },
  ];
};

describe('the transaction notifier', () => {
  const { stores: opened, start, requested } = useAppProcesses();

  it("reads an organization's webhooks once per batch of changes, and notifies each one subscribed to activity of every change", async () => {
    const stores = opened();
    let read = 0;
    const readModels: RebuildableReadModels = {
      ...stores.readModels,
      get: (collection, key) => {
        if (collection.name === 'webhooks') read++;
        return stores.readModels.get(collection, key);
      },
      page: async (collection, ...given) => {
        const page = await stores.readModels.page(collection, ...given);
        if (collection.name === 'webhooks') read += page.documents.length;
        return page;
      },
    };
    const app = composeApp(stores, { readModels });
    start(app, 'projector');
    const wanted = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
    for (let n = 0; n < webhooks; n++) await app.webhooks.register(context, wanted);
    await app.webhooks.register(context, { ...wanted, notificationTypes: [historySealed] });
    const handle = createHandle(stores.events, testSystem);
    for (let n = 0; n < transactions; n++)
      for (const command of commandsOf(n)) await handle(context, [transactionStep(context, command)]);
    start(app, 'transaction notifier');
    const notifications = () => requested<{ webhookId: string; data: { transaction: { transaction_id: string } } }>();
    await eventually(async () => assert.equal((await notifications()).length, webhooks * transactions));
    const different = new Set(
      (await notifications()).map(({ webhookId, data }) => `${webhookId} ${data.transaction.transaction_id}`),
    );
    assert.equal(different.size, webhooks * transactions);
    assert.equal(read, (webhooks + 1) * Math.ceil(transactions / pieceSize));
  });

  it('records each change of which no webhook is notified, once, for the notification feed', async () => {
    const stores = opened();
    const app = composeApp(stores);
    start(app, 'projector');
    const wanted = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
    const { answer } = await app.webhooks.register(context, wanted);
    await app.webhooks.update(context, answer.webhook_id, { disabled: true });
    const handle = createHandle(stores.events, testSystem);
    for (const command of commandsOf(1)) await handle(context, [transactionStep(context, command)]);
    start(app, 'transaction notifier');
    const read = async () => {
      const { notifications } = await app.notifications.list(context, { after: undefined, size: 100 }, 0);
      return notifications;
    };
    const [notified, ...more] = await eventually(async () => {
      const [first, ...rest] = await read();
      return [first ?? assert.fail('no notification'), ...rest] as const;
    });
    const { state, transaction } = notified.data as { state: string; transaction: { transaction_id: string } };
    assert.deepEqual([notified.webhook_id, state, transaction.transaction_id], ['', 'TRANSACTION_STATE_SENT', 'tx_1']);
    assert.deepEqual([more, await requested()], [[], []]);
    const after = notified.webhook_history_id;
    assert.deepEqual((await app.notifications.list(context, { after, size: 100 }, 0)).notifications, []);
  });
});
