import assert from 'node:assert/strict';
import type { Drifted } from '../../../domain/aggregates/ledger/drift.js';
import { balanceDrifted } from '../../../domain/aggregates/webhook.js';
import { eventually, until } from '../../support/eventually.js';
import { useAppProcesses } from '../../support/following/app-processes.js';
import { allEvents, composeApp, contextOf, followedVariant } from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';

const ann = `0x${'a'.repeat(40)}`;
const endpoint = 'https://receiver.example/';

describe('the daily reconciliation', () => {
  const { stores, start, requested } = useAppProcesses();
  const by = contextOf('org_daily');

  it('records and corrects differences of every wallet, and notifies only webhooks that subscribe to them', async () => {
    const script = { headers: headersOf('0x', 12), finalized: () => 11, balance: '5' };
    const chains = new Map([[followedVariant.tag, { chain: headerChain(script), isNew: true }]]);
    const app = composeApp(stores(), { chains, reconcileSeconds: 1 });
    for (const name of ['projector', 'follower', 'balance reader']) start(app, name);
    const register = async (notificationTypes?: readonly string[], walletId?: string) =>
      (await app.webhooks.register(by, { walletId, endpoint, confirmation: 1, notificationTypes })).answer.webhook_id;
    const wallet = { name: 'ann', address: ann, importAsset: true, confirmation: 1 };
    const { answer } = await app.wallets.register(by, wallet);
    const walletId = answer.wallet_id;
    await register();
    const asking = [
      await register([balanceDrifted(by.variant)]),
      await register([by.variant.notificationType, balanceDrifted(by.variant)], walletId),
    ];
    await eventually(() => app.balances.refresh(by, { walletId, address: undefined, standard: 'native' }));
    await until('the chain is followed', () => app.followers[0]?.status()?.height === 11);
    script.balance = '8';
    start(app, 'balance reconciler');
    start(app, 'drift notifier');
    const drifts = async () => (await allEvents(stores().events)).filter(({ type }) => type === 'BalanceDrifted');
    await eventually(async () => assert.equal((await drifts()).length, 1));
    const [drifted] = (await drifts()).map(({ data }) => data as Drifted);
    assert.ok(drifted);
    const { expected, found, address } = drifted;
    assert.deepEqual({ expected, found, address }, { expected: '5', found: '8', address: ann });
    const notifications = () =>
      requested<{
        webhookId: string;
        notificationType: string;
        data: { wallet_id: string; difference: { found: string } };
      }>();
    await eventually(async () => assert.equal((await notifications()).length, 2));
    assert.deepEqual(new Set((await notifications()).map(({ webhookId }) => webhookId)), new Set(asking));
    for (const { notificationType, data } of await notifications()) {
      assert.equal(notificationType, 'NOTIFICATION_TYPE_EVM_BALANCE_DRIFTED');
      assert.deepEqual([data.wallet_id, data.difference.found], [walletId, '8']);
    }
  });
});
