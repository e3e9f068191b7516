import assert from 'node:assert/strict';
import { createHandle } from '../../../application/commands/handle.js';
import type { RefusedRequest } from '../../../application/ports/tracing/requests.js';
import { timeOfId } from '../../../application/tracing/find-events.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import type { TransactionCommand } from '../../../domain/aggregates/transaction.js';
import { eventually } from '../../support/eventually.js';
import { useAppProcesses } from '../../support/following/app-processes.js';
import { composeApp, contextOf } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const named = { transactionId: 'tx_1' };
const created = { walletId: 'wal_1', from: '0xaa', chain: '0xb0', chainId: 1, request: 'r', nonce: 0, to: '0xbb' };
const commands: readonly TransactionCommand[] = [
  { type: 'Create', data: { ...named, ...created, value: '1', gas: '2', gasPrice: '3', data: '0x' } },
  { type: 'Sign', data: { ...named, raw: '0x01', hash: '0x1' } },
  { type: 'Send', data: named },
];
const wallet = { name: 'one', address: undefined, importAsset: undefined, confirmation: undefined };
const operator = { actor: { kind: 'operator', id: 'test' }, requestId: 'setup' } as const;

describe('the time in a request id', () => {
  it('is that of a UUID of version 7, also with the suffix of gateway ids, and absent in any other text', () => {
    assert.equal(timeOfId('01a1ed24-9b69-7979-aa90-dc4e926d09ab'), 0x01a1ed249b69);
    assert.equal(timeOfId('01A1ED24-9B69-7979-AA90-DC4E926D09AB-42'), 0x01a1ed249b69);
    for (const other of ['', 'mine', '01a1ed24-9b69-4979-aa90-dc4e926d09ab', 'x01a1ed24-9b69-7979-aa90-dc4e926d09ab'])
      assert.equal(timeOfId(other), null);
  });
});

describe('the trace of a request', () => {
  const { stores: opened, start } = useAppProcesses();

  /** Composes the application with one organization, and returns functions that make its requests and trace them. */
  const openScene = async (refused: readonly RefusedRequest[] = []) => {
    const stores = opened();
    const app = composeApp(stores, {
      refusedRequests: {
        add: async () => undefined,
        find: async (id) => refused.filter(({ requestId }) => requestId === id),
        close: async () => undefined,
      },
    });
    start(app, 'projector');
    const { answer } = await app.organizations.create(operator, { name: 'A', domain: 'a' });
    const organizationId = answer.organization_id;
    const by = (requestId: string) => ({ ...contextOf(organizationId), requestId });
    const trace = (requestId: string, given: Partial<Parameters<typeof app.trace>[0]> = {}) =>
      app.trace({ requestId, hints: [], ...given });
    const typesOf = async (...given: Parameters<typeof trace>) =>
      (await trace(...given)).events.map(({ type }) => type);
    return { app, stores, organizationId, by, trace, typesOf };
  };

  it('has the events of the request only, oldest first', async () => {
    const { app, by, typesOf } = await openScene();
    const id = testSystem.uuid();
    await app.wallets.register(by('other'), wallet);
    const { answer } = await app.wallets.register(by(id), wallet);
    await app.wallets.updateConfirmation(by(id), answer.wallet_id, 3);
    await eventually(async () => assert.deepEqual(await typesOf(id), ['WalletRegistered', 'ConfirmationUpdated']));
  });

  it('is found by an id of the caller within a day, and later by the organization or a hint of the log', async () => {
    const { app, by, organizationId, stores, typesOf } = await openScene();
    await app.wallets.register(by('mine'), wallet);
    await eventually(async () => assert.deepEqual(await typesOf('mine'), ['WalletRegistered']));
    const later = Date.now() + 2 * 86_400_000;
    const then = composeApp(stores, { system: { ...testSystem, now: () => later } });
    const find = async (given: object) =>
      (await then.trace({ requestId: 'mine', hints: [], ...given })).events.map(({ type }) => type);
    assert.deepEqual(await find({}), []);
    assert.deepEqual(await find({ organizationId }), ['WalletRegistered']);
    assert.deepEqual(await find({ hints: [{ time: Date.now() }] }), ['WalletRegistered']);
    assert.deepEqual(await find({ hints: [{ time: Date.now(), organizationId }] }), ['WalletRegistered']);
    assert.deepEqual(await find({ hints: [{ time: Date.now(), organizationId: 'org_other' }] }), []);
  });

  it('searches only the organization and the time of a refusal', async () => {
    const refusal = {
      requestId: 'mine',
      organizationId: 'org_b',
      status: 404,
      code: 'NOT_FOUND',
      ms: 1,
      time: 5_000_000,
    };
    const { trace } = await openScene([refusal]);
    const { refused, ranges } = await trace('mine');
    assert.deepEqual(refused, [refusal]);
    assert.deepEqual(ranges, [{ owner: 'org_b', from: 4_880_000, until: 5_300_000 }]);
  });

  it('has the deliveries that follow from its events, with their attempts', async () => {
    const { app, by, stores, trace } = await openScene();
    const id = testSystem.uuid();
    const wanted = { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 };
    const { answer } = await app.webhooks.register(by('setup'), wanted);
    const handle = createHandle(stores.events, testSystem);
    for (const command of commands) await handle(by(id), [transactionStep(by(id), command)]);
    for (const name of ['transaction notifier', 'delivery queue', 'deliverer']) start(app, name);
    await eventually(async () => {
      const { deliveries } = await trace(id);
      assert.deepEqual(
        deliveries.map(({ events }) => events.map(({ type }) => type)),
        [['DeliveryRequested', 'DeliveryAttempted']],
      );
      assert.equal(
        (deliveries[0]?.events[1]?.data as { webhookId?: string } | undefined)?.webhookId,
        answer.webhook_id,
      );
    });
  });
});
