import assert from 'node:assert/strict';
import type { EventStore } from '../../../application/ports/event-store.js';
import { historySealed } from '../../../domain/aggregates/webhook.js';
import { eventually } from '../../support/eventually.js';
import { useAppProcesses } from '../../support/following/app-processes.js';
import { composeApp, contextOf } from '../../support/following/following.js';

const endpoint = 'https://receiver.example/';
const leafOf = (organizationId: string, count: number) => ({
  organizationId,
  count,
  hash: `${count}`.padStart(64, '0'),
  places: '0'.repeat(64),
  position: count,
});

describe('the seal notifier', () => {
  const { stores, start, requested } = useAppProcesses();

  it('notifies an organization only of its own seals, and only webhooks that subscribe to them', async () => {
    const app = composeApp(stores());
    start(app, 'projector');
    const [own, foreign] = [contextOf('org_a'), contextOf('org_b')];
    const register = async (context: typeof own, notificationTypes?: readonly string[]) =>
      (await app.webhooks.register(context, { walletId: undefined, endpoint, confirmation: 1, notificationTypes }))
        .answer.webhook_id;
    await register(own);
    await register(own, [own.variant.notificationType]);
    const asking = [
      await register(own, [historySealed]),
      await register(own, [own.variant.notificationType, historySealed]),
    ];
    const theirs = await register(foreign, [historySealed]);
    await app.sealLog.begin();
    await app.sealLog.append(leafOf('org_a', 7), 0);
    start(app, 'seal notifier');
    const notifications = () => requested<{ webhookId: string; notificationType: string; data: object }>();
    await eventually(async () => assert.equal((await notifications()).length, 2));
    const head = await app.logProofs.head();
    const { hash, position } = leafOf('org_a', 7);
    for (const { notificationType, data } of await notifications()) {
      assert.equal(notificationType, historySealed);
      assert.deepEqual(data, {
        seal: { organization_id: 'org_a', count: 7, hash, position, leaf_index: 0 },
        head: { size: 1, root: head.root, time: head.time, key_id: head.keyId, signature: head.signature },
      });
    }
    assert.deepEqual(new Set((await notifications()).map(({ webhookId }) => webhookId)), new Set(asking));
    await app.sealLog.append(leafOf('org_b', 3), 0);
    await eventually(async () => assert.equal((await notifications()).length, 3));
    assert.equal((await notifications()).at(-1)?.webhookId, theirs);
  });

  it('notifies an organization of its seal while notifications of another organization cannot be stored', async () => {
    const given = stores();
    let rejected = 'org_a.delivery';
    const append: EventStore['append'] = async (writes) => {
      if (writes.some(({ stream }) => stream.startsWith(rejected))) throw new Error('the store rejects this write');
      return given.events.append(writes);
    };
    const app = composeApp({ ...given, events: { ...given.events, append } });
    start(app, 'projector');
    const wanted = { walletId: undefined, endpoint, confirmation: 1, notificationTypes: [historySealed] };
    const [first, second] = ['org_a', 'org_b'].map((organizationId) => contextOf(organizationId));
    assert.ok(first && second);
    const stuck = (await app.webhooks.register(first, wanted)).answer.webhook_id;
    const other = (await app.webhooks.register(second, wanted)).answer.webhook_id;
    await app.sealLog.begin();
    await app.sealLog.append(leafOf('org_a', 7), 0);
    await app.sealLog.append(leafOf('org_b', 3), 0);
    start(app, 'seal notifier');
    const notified = async () => (await requested<{ webhookId: string }>()).map(({ webhookId }) => webhookId);
    await eventually(async () => assert.deepEqual(await notified(), [other]));
    rejected = 'no stream';
    await eventually(async () => assert.deepEqual(await notified(), [other, stuck]));
  });
});
