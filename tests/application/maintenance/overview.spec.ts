import assert from 'node:assert/strict';
import { noEntry } from '../../../application/ports/state.js';
import { systemOwner } from '../../../projections/define.js';
import { type OpenDeliveryDocument, openDeliveries } from '../../../projections/deliveries.js';
import { type WebhookHealthDocument, webhookEditions, webhookHealth } from '../../../projections/webhooks.js';
import { composeApp, openStores } from '../../support/following/following.js';
import { movedClock } from '../../support/moved-clock.js';

const now = 1_700_000_000_000;

describe('the overview of a service', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeEach(async () => {
    stores = await openStores();
  });
  afterEach(() => stores.close());
  const overview = () => composeApp(stores, { system: movedClock(now).system }).oversight.overview(600);

  const store = async (changes: Parameters<(typeof stores)['readModels']['commit']>[0]) =>
    assert.ok(await stores.readModels.commit(changes, await stores.readModels.checkpoint(), {}));
  const delivery = (id: string, dueSecondsAgo: number, parked: 'yes' | 'no' = 'no') => ({
    collection: openDeliveries,
    scope: systemOwner,
    id,
    document: {
      delivery_id: id,
      owner: 'o/C',
      webhook_id: 'w',
      next_at: now - dueSecondsAgo * 1000,
      position: 1,
      parked,
    } satisfies OpenDeliveryDocument,
  });
  const health = (scope: string, id: string, failingSince: number | null) => ({
    collection: webhookHealth,
    scope,
    id,
    document: { failing_since: failingSince } satisfies WebhookHealthDocument,
  });

  it('is empty on stores that no service has used', async () => {
    const { roles, deliveries, failingWebhooks, chains, ...rest } = await overview();
    assert.deepEqual(
      roles.map(({ role, state, isNeeded }) => `${role} ${state} ${isNeeded}`),
      ['api unseen true', 'projector unseen true', 'follower unseen false', 'deliverer unseen false'],
    );
    assert.deepEqual(deliveries, { open: 0, parked: 0, queued: 0, overdueSeconds: 0 });
    assert.deepEqual(failingWebhooks, { count: 0, longest: [] });
    assert.deepEqual([chains, rest.instances, rest.lastSeal, rest.lastBackup], [[], [], null, null]);
  });

  it('counts open deliveries, also those that no deliverer queued, and tells how long the oldest has been due', async () => {
    await store([delivery('a', 90), delivery('b', 30), delivery('c', -60), delivery('d', 500, 'yes')]);
    assert.deepEqual((await overview()).deliveries, { open: 3, parked: 1, queued: 0, overdueSeconds: 90 });
  });

  it('lists failing webhooks, the longest first, and needs a deliverer as soon as there is a webhook', async () => {
    const edition = { collection: webhookEditions, scope: 'o/C', id: 'current', document: { position: 1 } };
    await store([health('o/C', 'w1', now - 1000), health('o/T', 'w2', null), health('p/T', 'w3', now - 9000), edition]);
    const { failingWebhooks, roles } = await overview();
    assert.deepEqual(failingWebhooks, {
      count: 2,
      longest: [
        { organizationId: 'p', chain: 'T', webhookId: 'w3', failingSince: now - 9000 },
        { organizationId: 'o', chain: 'C', webhookId: 'w1', failingSince: now - 1000 },
      ],
    });
    assert.equal(roles.find(({ role }) => role === 'deliverer')?.isNeeded, true);
  });

  it('tells when the last seal was made', async () => {
    const head = (size: number) => JSON.stringify({ volume: 0, head: { size, time: '2023-11-14T22:00:00.000Z' } });
    await stores.state.put('processes', 'audit-log', head(0), noEntry);
    assert.equal((await overview()).lastSeal, null);
    await stores.state.put('processes', 'audit-log', head(1), 1);
    assert.equal((await overview()).lastSeal, '2023-11-14T22:00:00.000Z');
  });
});
