import fc from 'fast-check';
import { step } from '../../../application/commands/handle.js';
import { delivery } from '../../../domain/aggregates/delivery.js';
import { webhook } from '../../../domain/aggregates/webhook.js';
import { webhookHeader } from '../../../domain/aggregates/webhook-header.js';
import { type Ask, one, owner } from './history-asks.js';

/** Ids of the webhooks; the n-th delivery is to the n-th webhook. */
export const webhookIds = ['whk_1', 'whk_2'];
/**
 * Returns the ids of an organization's deliveries on a wallet API. Each id contains the organization and the API, like
 * the ids that the service makes.
 */
export const deliveryIdsOf = ({ organizationId, variant }: { organizationId: string; variant: string }) =>
  ['whd_1', 'whd_2'].map((id) => `${id}.${variant}.${organizationId}`);
export const headerId = 'whh_1';

type WebhookMove = 'register' | 'remove' | 'disable' | 'revive' | 'update' | 'switch off' | 'rotate';
const webhookMoves: readonly (readonly WebhookMove[])[] = [
  ['register'],
  ['update'],
  ['register', 'rotate', 'update'],
  ['register', 'update', 'switch off'],
  ['rotate'],
  ['register', 'disable'],
  ['register', 'disable', 'revive'],
  ['revive'],
  ['remove'],
];

export const webhookAsks = fc
  .record({
    ...owner,
    what: one(webhookMoves),
    webhookId: one(webhookIds),
    isOfWallet: fc.boolean(),
    confirmation: fc.nat(3),
  })
  .map(({ organizationId, variant, walletId, what, webhookId, isOfWallet, confirmation }): Ask[] => {
    const registration = { webhookId, endpoint: 'https://a.example/', confirmation, sealedSecret: 'sealed' };
    const command = {
      register: { type: 'Register', data: { ...registration, ...(isOfWallet && { walletId }) } },
      remove: { type: 'Remove', data: { webhookId } },
      disable: { type: 'Disable', data: { webhookId, reason: 'gone' } },
      revive: { type: 'Revive', data: { webhookId } },
      update: { type: 'Update', data: { webhookId, confirmation, final: isOfWallet } },
      'switch off': { type: 'Update', data: { webhookId, disabled: true } },
      rotate: {
        type: 'RotateSecret',
        data: {
          webhookId,
          sealedSecret: 'sealed',
          previousSecret: { sealed: 'before', until: 5 },
          replaces: 'sealed',
        },
      },
    } as const;
    const key = `${variant}.${webhookId}`;
    return what.map((each) => ({
      organizationId,
      variant,
      steps: [step(webhook, organizationId, key, command[each])],
    }));
  });

export const headerAsks = fc
  .record({ ...owner, what: one(['register', 'remove']), of: one([undefined, ...webhookIds]) })
  .map(({ organizationId, variant, what, of }): Ask[] => {
    const data = { headerId, name: 'x-a', sealedValue: 'sealed', ...(of !== undefined && { webhookId: of }) };
    const command = {
      register: { type: 'Register', data },
      remove: { type: 'Remove', data: { headerId } },
    } as const;
    const steps = [step(webhookHeader, organizationId, `${variant}.${headerId}`, command[what])];
    return [{ organizationId, variant, steps }];
  });

type DeliveryMove = 'record' | 'request' | 'complete' | 'fail' | 'gone' | 'cancel' | 'resend' | 'park' | 'unpark';
const deliveryMoves: readonly (readonly DeliveryMove[])[] = [
  ['request'],
  ['request', 'complete'],
  ['request', 'fail'],
  ['request', ...Array(8).fill('fail')],
  ['gone'],
  ['cancel'],
  ['cancel', 'complete'],
  ['resend'],
  ['request', 'complete', 'fail', 'resend'],
  ['request', 'fail', 'cancel', 'fail', 'resend', 'fail'],
  ['request', 'park'],
  ['park', 'fail'],
  ['unpark'],
  ['record'],
];

export const deliveryAsks = fc
  .record({
    ...owner,
    what: one(deliveryMoves),
    which: one([0, 1]),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    at: fc.nat(1000),
    retryAt: one([null, 10_000_000]),
  })
  .map(({ organizationId, variant, what, which, jitter, at, retryAt }): Ask[] => {
    const deliveryId = deliveryIdsOf({ organizationId, variant })[which] ?? '';
    const named = { deliveryId, webhookId: webhookIds[which] ?? '' };
    const attempt = (status: number) => {
      const made = { status, failure: '', durationMs: 1, answer: '', at };
      return { type: 'Attempt', data: { ...named, ...made, jitter, retryAt } } as const;
    };
    const command = {
      request: { type: 'Request', data: { ...named, notificationType: 'N', data: { value: '5' } } },
      record: { type: 'Record', data: { deliveryId, notificationType: 'N', data: { value: '5' } } },
      complete: attempt(200),
      fail: attempt(503),
      gone: attempt(410),
      cancel: { type: 'Cancel', data: named },
      resend: { type: 'Resend', data: named },
      park: { type: 'Park', data: named },
      unpark: { type: 'Unpark', data: named },
    } as const;
    const key = `${variant}.${named.deliveryId}`;
    return what.map((each) => ({
      organizationId,
      variant,
      steps: [step(delivery, organizationId, key, command[each])],
    }));
  });
