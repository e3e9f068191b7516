import assert from 'node:assert/strict';
import { maxKeptAttempts, webhookAttempts } from '../../projections/deliveries.js';
import { webhookEditions, webhookHealth, webhooks } from '../../projections/webhooks.js';
import { about, hour, project } from '../support/histories/project.js';

const webhookId = 'whk_1';
const data = { webhookId, walletId: 'wal_1', endpoint: 'https://a.example/', confirmation: 3, sealedSecret: 'sealed' };
const { walletId: _, ...ofEvery } = data;
const registered = { type: 'WebhookRegistered', data } as const;
const disabled = { type: 'WebhookDisabled', data: { webhookId, reason: 'gone' } } as const;
const revived = { type: 'WebhookRevived', data: { webhookId } } as const;
const gone = { type: 'WebhookRemoved', data: { webhookId } } as const;
const previousSecret = { sealed: 'sealed before', until: 1000 };
const rotated = { type: 'WebhookSecretRotated', data: { webhookId, sealedSecret: 'new', previousSecret } } as const;
const changes = { endpoint: 'https://b.example/', confirmation: 0, sealedSecret: 'for b', final: true } as const;
const updated = { type: 'WebhookUpdated', data: { ...data, ...changes } } as const;
const shown = {
  webhook_id: webhookId,
  wallet_id: 'wal_1',
  endpoint: 'https://a.example/',
  confirmation: 3,
  disabled: false,
  sealed_secret: 'sealed',
  create_time: hour(1),
  position: 10,
};

describe('the webhooks projection', () => {
  it('shows a registered webhook', () => assert.deepEqual(project(webhooks, [registered]), shown));
  it('shows a webhook for every wallet with an empty wallet id', () =>
    assert.deepEqual(project(webhooks, [{ ...registered, data: ofEvery }]), { ...shown, wallet_id: '' }));
  it('shows a webhook as disabled until it is revived', () => {
    assert.deepEqual(project(webhooks, [registered, disabled]), { ...shown, disabled: true });
    assert.deepEqual(project(webhooks, [registered, disabled, revived]), shown);
  });
  it('shows no removed webhook', () => assert.equal(project(webhooks, [registered, disabled, gone]), null));
  for (const event of [disabled, revived, gone])
    it(`creates no webhook from ${event.type} alone`, () => assert.equal(project(webhooks, [event]), null));
  it('stores a webhook of an organization and variant under its id', () => {
    assert.equal(webhooks.scope(about(1)), 'org_1/S');
    assert.deepEqual([registered, disabled, revived, gone].map(webhooks.key), Array(4).fill('whk_1'));
  });
});

describe('the webhooks projection after a change', () => {
  it('shows the new settings, with the creation time of the webhook', () =>
    assert.deepEqual(project(webhooks, [registered, disabled, updated]), {
      ...shown,
      endpoint: 'https://b.example/',
      confirmation: 0,
      sealed_secret: 'for b',
      disabled: true,
      final: true,
    }));
  it('shows settings that were reset as absent', () => {
    const reset = { type: 'WebhookUpdated', data } as const;
    assert.deepEqual(project(webhooks, [registered, updated, rotated, reset]), shown);
  });
  it('holds the previous secret after a rotation', () =>
    assert.deepEqual(project(webhooks, [registered, rotated]), {
      ...shown,
      sealed_secret: 'new',
      previous_secret: previousSecret,
    }));
  for (const event of [updated, rotated])
    it(`creates no webhook from ${event.type} alone`, () => assert.equal(project(webhooks, [event]), null));
  for (const event of [updated, rotated])
    it(`has a new edition after ${event.type}`, () =>
      assert.deepEqual(project(webhookEditions, [registered, event]), { position: 20 }));
});

describe('the webhook health projection', () => {
  it('forgets failures when the webhook is updated', () => {
    const failed = {
      status: 500,
      failure: '',
      durationMs: 1,
      answer: '',
      at: 5,
      outcome: 'retrying',
      nextAt: 9,
    } as const;
    const attempted = { type: 'DeliveryAttempted', data: { deliveryId: 'whd_1', webhookId, ...failed } } as const;
    assert.deepEqual(project(webhookHealth, [attempted]), { failing_since: 5 });
    assert.equal(project(webhookHealth, [attempted, updated]), null);
  });
});

describe('the webhook attempts projection', () => {
  const attempt = (at: number, status: number | null) =>
    ({
      type: 'DeliveryAttempted',
      data: {
        deliveryId: 'whd_1',
        webhookId,
        status,
        failure: status === null ? 'connection refused' : '',
        durationMs: 12,
        answer: 'try later',
        at,
        outcome: 'retrying',
        nextAt: at + 5000,
      },
    }) as const;
  const shownAt = (at: number, status: number | null) => ({
    status,
    failure: status === null ? 'connection refused' : '',
    duration_ms: 12,
    answer: 'try later',
    at,
    next_at: at + 5000,
  });

  it('holds the attempts of a delivery in order', () =>
    assert.deepEqual(project(webhookAttempts, [attempt(1, null), attempt(2, 503)]), {
      count: 2,
      last: [shownAt(1, null), shownAt(2, 503)],
    }));
  it('holds a bounded number of attempts and counts all of them', () => {
    const attempts = Array.from({ length: maxKeptAttempts + 3 }, (_, at) => attempt(at, 503));
    const { count, last } = project(webhookAttempts, attempts) ?? assert.fail('no document');
    assert.equal(count, maxKeptAttempts + 3);
    assert.deepEqual([last.length, last[0]?.at], [maxKeptAttempts, 3]);
  });
  it('stores the attempts of an organization and variant under the delivery', () => {
    assert.equal(webhookAttempts.scope(about(1)), 'org_1/S');
    assert.equal(webhookAttempts.key(attempt(1, 200)), 'whd_1');
  });
});
