import assert from 'node:assert/strict';
import type { DeliveryEvent } from '../../domain/aggregates/delivery.js';
import { addresses } from '../../projections/addresses.js';
import { systemOwner } from '../../projections/define.js';
import { historyMoment, openDeliveries, webhookHistories } from '../../projections/deliveries.js';
import { credentials, organizations } from '../../projections/organizations.js';
import { wallets } from '../../projections/wallets.js';
import { webhookEditions, webhookHeaders, webhookHealth } from '../../projections/webhooks.js';
import { about, hour, project } from '../support/histories/project.js';

const address = '0xab';
const held = { type: 'AddressRegistered', data: { address, walletId: 'wal_1' } } as const;
const imported = { type: 'AddressRegistered', data: { ...held.data, importAsset: true } } as const;
const removed = { type: 'AddressRemoved', data: held.data } as const;

describe('the organizations projection', () => {
  const data = { organizationId: 'org_1', name: 'Acme', domain: 'acme' };
  const created = { type: 'OrganizationCreated', data } as const;

  it('shows a created organization', () =>
    assert.deepEqual(project(organizations, [created]), {
      organization_id: 'org_1',
      name: 'Acme',
      domain: 'acme',
      create_time: hour(1),
      update_time: hour(1),
      position: 10,
    }));
  it('stores an organization under its id in the shared scope', () => {
    assert.equal(organizations.scope(about(1)), 'system');
    assert.equal(organizations.key(created), 'org_1');
  });
});

describe('the credentials projection', () => {
  const data = { apiKey: 'ck_1', role: 'client', sealedSecret: 'sealed' } as const;
  const issued = { type: 'CredentialIssued', data } as const;
  const deleted = { type: 'CredentialDeleted', data: { apiKey: 'ck_1' } } as const;

  it('shows an issued credential without its secret', () =>
    assert.deepEqual(project(credentials, [issued]), {
      api_key: 'ck_1',
      role: 'client',
      create_time: hour(1),
      position: 10,
    }));
  it('shows no deleted credential', () => assert.equal(project(credentials, [issued, deleted]), null));
  it('stores a credential of an organization under its API key', () => {
    assert.equal(credentials.scope(about(1)), 'org_1/S');
    assert.equal(credentials.key(issued), 'ck_1');
    assert.equal(credentials.key(deleted), 'ck_1');
  });
});

describe('the wallets projection', () => {
  const bare = { type: 'WalletRegistered', data: { walletId: 'wal_1', name: 'main' } } as const;
  const registered = { ...bare, data: { ...bare.data, confirmation: 3, importAsset: true } } as const;
  const updated = { type: 'ConfirmationUpdated', data: { walletId: 'wal_1', confirmation: 0 } } as const;
  const times = { create_time: hour(1), update_time: hour(1) };
  const shown = { wallet_id: 'wal_1', name: 'main', ...times, address_count: 0, position: 10 };

  it('shows a registered wallet with its confirmation', () =>
    assert.deepEqual(project(wallets, [registered]), { ...shown, confirmation: 3 }));
  it('shows no confirmation for a wallet whose variant has none', () =>
    assert.deepEqual(project(wallets, [bare]), shown));
  it('shows a confirmation of zero', () =>
    assert.deepEqual(project(wallets, [{ ...bare, data: { ...bare.data, confirmation: 0 } }]), {
      ...shown,
      confirmation: 0,
    }));
  it('shows a changed confirmation and the time of the change, without moving the wallet in the list', () =>
    assert.deepEqual(project(wallets, [registered, updated]), { ...shown, confirmation: 0, update_time: hour(2) }));
  it('shows a confirmation that was first set by an update', () =>
    assert.deepEqual(project(wallets, [bare, updated]), { ...shown, confirmation: 0, update_time: hour(2) }));
  it('changes the update time and the number of addresses when an address is registered', () =>
    assert.deepEqual(project(wallets, [bare, imported]), { ...shown, address_count: 1, update_time: hour(2) }));
  it('changes the update time and the number of addresses when an address is removed', () =>
    assert.deepEqual(project(wallets, [bare, held, removed]), { ...shown, address_count: 0, update_time: hour(3) }));
  for (const event of [updated, held, removed])
    it(`creates no wallet from ${event.type} alone`, () => assert.equal(project(wallets, [event]), null));
  it('stores a wallet of an organization and variant under the wallet id of every event', () => {
    assert.equal(wallets.scope(about(1)), 'org_1/S');
    assert.deepEqual([bare, updated, held, removed].map(wallets.key), ['wal_1', 'wal_1', 'wal_1', 'wal_1']);
  });
});

describe('the addresses projection', () => {
  const moved = { type: 'AddressRegistered', data: { address, walletId: 'wal_2' } } as const;

  for (const [kind, event] of Object.entries({ registered: held, 'registered with its assets': imported }))
    it(`shows an address that was ${kind}`, () =>
      assert.deepEqual(project(addresses, [event]), { address, wallet_id: 'wal_1', position: 10 }));
  it('shows no removed address', () => assert.equal(project(addresses, [held, removed]), null));
  it('creates no address from a removal alone', () => assert.equal(project(addresses, [removed]), null));
  it('shows a moved address as a new address of its new wallet', () =>
    assert.deepEqual(project(addresses, [held, removed, moved]), { address, wallet_id: 'wal_2', position: 30 }));
  it('stores an address of an organization and variant under the address itself', () => {
    assert.equal(addresses.scope(about(1)), 'org_1/S');
    assert.deepEqual([held, removed].map(addresses.key), [address, address]);
  });
});

describe('the webhook headers projection', () => {
  const data = { headerId: 'whh_1', webhookId: 'whk_1', name: 'x-a', sealedValue: 'sealed' };
  const { webhookId, ...ofEvery } = data;
  const registered = { type: 'WebhookHeaderRegistered', data } as const;
  const gone = { type: 'WebhookHeaderRemoved', data: { headerId: 'whh_1' } } as const;
  const shown = {
    webhook_header_id: 'whh_1',
    webhook_id: 'whk_1',
    name: 'x-a',
    sealed_value: 'sealed',
    position: 10,
  };

  it('shows a registered header', () => assert.deepEqual(project(webhookHeaders, [registered]), shown));
  it('shows a header for every webhook with an empty webhook id', () =>
    assert.deepEqual(project(webhookHeaders, [{ ...registered, data: ofEvery }]), { ...shown, webhook_id: '' }));
  it('shows no removed header', () => assert.equal(project(webhookHeaders, [registered, gone]), null));
  it('stores a header of an organization and variant under its id', () => {
    assert.equal(webhookHeaders.scope(about(1)), 'org_1/S');
    assert.deepEqual([registered, gone].map(webhookHeaders.key), ['whh_1', 'whh_1']);
  });
});

const named = { deliveryId: 'whd_1', webhookId: 'whk_1' };
const asked = { type: 'DeliveryRequested', data: { ...named, notificationType: 'N', data: { value: '5' } } } as const;
const attempted = (outcome: 'completed' | 'retrying' | 'failed', at = 7, nextAt: number | null = null) => {
  const status = outcome === 'completed' ? 200 : 503;
  const data = { ...named, status, failure: '', durationMs: 1, answer: '', at, outcome, nextAt };
  return { type: 'DeliveryAttempted', data } as const;
};
const [completed, failed, retrying] = [attempted('completed'), attempted('failed'), attempted('retrying', 7, 5007)];
const canceled = { type: 'DeliveryCanceled', data: named } as const;
const resent = { type: 'DeliveryResent', data: named } as const;
const parked = { type: 'DeliveryParked', data: named } as const;
const ofDeliveries = [asked, completed, canceled, resent];

describe('the webhook histories projection', () => {
  const shown = (status: string, delivery_count = 0, n = 1) => ({
    webhook_history_id: 'whd_1',
    webhook_id: 'whk_1',
    status,
    notification_type: 'N',
    delivery_count,
    delivery_time: hour(n),
    data: { value: '5' },
    moment: '2026-01-01T01:00:00.0000000000000010',
  });
  const history = (...events: Exclude<DeliveryEvent, { type: 'DeliveryParked' }>[]) =>
    project(webhookHistories, events);

  it('shows a requested delivery as PENDING', () => assert.deepEqual(history(asked), shown('PENDING')));
  it('shows the status of a delivery with its time and the number of attempts', () => {
    assert.deepEqual(history(asked, retrying), shown('RETRYING', 1, 2));
    assert.deepEqual(history(asked, retrying, completed), shown('COMPLETED', 2, 3));
    assert.deepEqual(history(asked, retrying, failed), shown('FAILED', 2, 3));
    assert.deepEqual(history(asked, retrying, canceled), shown('CANCELED', 1, 2));
  });
  it('shows a resent delivery as PENDING, without moving it in the list', () => {
    assert.deepEqual(history(asked, failed, resent), shown('PENDING', 1, 2));
    assert.deepEqual(history(asked, completed, resent, completed), shown('COMPLETED', 2, 4));
  });
  it('counts a failed attempt after the end of a delivery, and keeps its status', () => {
    assert.deepEqual(history(asked, completed, failed), shown('COMPLETED', 2, 3));
    assert.deepEqual(history(asked, canceled, failed), shown('CANCELED', 1, 3));
  });
  it('shows a canceled delivery as COMPLETED when an attempt succeeds after all', () =>
    assert.deepEqual(history(asked, canceled, completed), shown('COMPLETED', 1, 3)));
  for (const event of ofDeliveries.slice(1))
    it(`creates no history from ${event.type} alone`, () => assert.equal(history(event), null));
  it('sorts deliveries by the second of their request, then by the order of requests', () => {
    const moment = history(asked)?.moment ?? '';
    assert.ok(historyMoment('2026-01-01T01:00:00.999Z') < moment);
    assert.ok(moment < historyMoment('2026-01-01T01:00:01.000Z'));
  });
  it('stores a delivery of an organization and variant under its id', () => {
    assert.equal(webhookHistories.scope(about(1)), 'org_1/S');
    assert.deepEqual(ofDeliveries.map(webhookHistories.key), Array(4).fill('whd_1'));
  });
});

describe('the open deliveries projection', () => {
  const shown = (next_at: number, n = 1, parked = 'no') => ({
    delivery_id: 'whd_1',
    owner: 'org_1/S',
    webhook_id: 'whk_1',
    next_at,
    position: n * 10,
    parked,
  });

  const atHour = (n: number) => Date.parse(hour(n));

  it('lists a requested delivery as due since its request', () =>
    assert.deepEqual(project(openDeliveries, [asked]), shown(atHour(1))));
  it('lists a retrying delivery with the time of its next attempt', () =>
    assert.deepEqual(project(openDeliveries, [asked, retrying]), shown(5007)));
  it('lists a parked delivery as parked until it is resent, even after an attempt that ended later', () => {
    assert.deepEqual(project(openDeliveries, [asked, parked]), shown(atHour(1), 1, 'yes'));
    assert.deepEqual(project(openDeliveries, [asked, parked, retrying]), shown(5007, 1, 'yes'));
    assert.deepEqual(project(openDeliveries, [asked, parked, resent]), shown(atHour(3), 3));
    assert.equal(project(openDeliveries, [parked]), null);
  });
  for (const event of [completed, failed, canceled])
    it(`lists no delivery after ${event.type}${'outcome' in event.data ? ` with the outcome ${event.data.outcome}` : ''}`, () => {
      assert.equal(project(openDeliveries, [asked, event]), null);
      assert.equal(project(openDeliveries, [asked, event, failed]), null);
      assert.deepEqual(project(openDeliveries, [asked, event, resent]), shown(atHour(3), 3));
    });
  it('stores the deliveries of all organizations together, each under its id', () => {
    assert.equal(openDeliveries.scope(about(1)), systemOwner);
    assert.deepEqual(ofDeliveries.map(openDeliveries.key), Array(4).fill('whd_1'));
  });
});

describe('the webhook health projection', () => {
  const failing = (at: number) => attempted('retrying', at, at + 5000);
  const since = (...events: ReturnType<typeof attempted>[]) => project(webhookHealth, events)?.failing_since;

  it('shows since when a webhook has been failing', () => {
    assert.equal(since(failing(7)), 7);
    assert.equal(since(failing(7), failing(8), attempted('failed', 9)), 7);
  });
  it('resets after a success', () => {
    assert.equal(since(attempted('completed', 7)), null);
    assert.equal(since(failing(7), attempted('completed', 8)), null);
    assert.equal(since(failing(7), attempted('completed', 8), failing(9), failing(10)), 9);
  });
  it("stores the health of a webhook under the webhook's id", () => {
    assert.equal(webhookHealth.scope(about(1)), 'org_1/S');
    assert.equal(webhookHealth.key(completed), 'whk_1');
  });
});

describe('the webhook editions projection', () => {
  const registered = {
    type: 'WebhookHeaderRegistered',
    data: { headerId: 'hdr_1', name: 'a', sealedValue: 'b' },
  } as const;
  const gone = { type: 'WebhookHeaderRemoved', data: { headerId: 'hdr_1' } } as const;
  const revived = { type: 'WebhookRevived', data: { webhookId: 'whk_1' } } as const;

  it('changes its document with every change of a webhook or a header', () => {
    const since = (...events: (typeof registered | typeof gone | typeof revived)[]) => project(webhookEditions, events);
    assert.deepEqual(since(registered), { position: 10 });
    assert.deepEqual(since(registered, gone), { position: 20 });
    assert.deepEqual(since(registered, gone, revived), { position: 30 });
  });
  it('has one document for all webhooks of an organization and variant', () => {
    assert.equal(webhookEditions.scope(about(1)), 'org_1/S');
    assert.deepEqual(new Set([registered, gone, revived].map(webhookEditions.key)).size, 1);
  });
});
