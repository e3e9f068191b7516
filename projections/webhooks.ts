import type { DeliveryEvent } from '../domain/delivery.js';
import type { WebhookEvent } from '../domain/webhook.js';
import type { WebhookHeaderEvent } from '../domain/webhook-header.js';
import { type About, ownScope, type Projection } from './define.js';

export type WebhookDocument = {
  webhook_id: string;
  /** Empty: it covers every wallet. */
  wallet_id: string;
  endpoint: string;
  confirmation: number;
  disabled: boolean;
  sealed_secret: string;
  create_time: string;
  position: number;
};

export const webhooks: Projection<WebhookEvent, WebhookDocument> = {
  name: 'webhooks',
  version: 1,
  indexes: { all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.webhookId,
  on: {
    WebhookRegistered: (_, data, { occurredAt, position }) => ({
      webhook_id: data.webhookId,
      wallet_id: data.walletId ?? '',
      endpoint: data.endpoint,
      confirmation: data.confirmation,
      disabled: false,
      sealed_secret: data.sealedSecret,
      create_time: occurredAt,
      position,
    }),
    WebhookRemoved: () => null,
    WebhookDisabled: (doc) => doc && { ...doc, disabled: true },
    WebhookRevived: (doc) => doc && { ...doc, disabled: false },
  },
};

export type WebhookHeaderDocument = {
  webhook_header_id: string;
  /** Empty: it goes with every webhook. */
  webhook_id: string;
  name: string;
  sealed_value: string;
  position: number;
};

export const webhookHeaders: Projection<WebhookHeaderEvent, WebhookHeaderDocument> = {
  name: 'webhook_headers',
  version: 1,
  indexes: { byWebhook: { equal: ['webhook_id'], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.headerId,
  on: {
    WebhookHeaderRegistered: (_, { headerId, webhookId, name, sealedValue }, { position }) => ({
      webhook_header_id: headerId,
      webhook_id: webhookId ?? '',
      name,
      sealed_value: sealedValue,
      position,
    }),
    WebhookHeaderRemoved: () => null,
  },
};

/** Since when a webhook has had no success; it is disabled after some days. */
export type WebhookHealthDocument = { failing_since: number | null };

type HealthEvent =
  | Extract<DeliveryEvent, { type: 'DeliveryAttempted' }>
  | Extract<WebhookEvent, { type: 'WebhookRevived' | 'WebhookRemoved' }>;

export const webhookHealth: Projection<HealthEvent, WebhookHealthDocument> = {
  name: 'webhook_health',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => data.webhookId,
  on: {
    DeliveryAttempted: (doc, { outcome, at }) => ({
      failing_since: outcome === 'completed' ? null : (doc?.failing_since ?? at),
    }),
    // Whoever is asked for again gets as much patience as at first.
    WebhookRevived: () => null,
    WebhookRemoved: () => null,
  },
};

/** The last event that changed a webhook or a header of its owner: until there is another, what was read of them is true. */
export type WebhookEditionDocument = { position: number };

const edition = (_doc: WebhookEditionDocument | null, _data: object, { position }: About) => ({ position });

export const webhookEditions: Projection<WebhookEvent | WebhookHeaderEvent, WebhookEditionDocument> = {
  name: 'webhook_editions',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: () => 'current',
  on: {
    WebhookRegistered: edition,
    WebhookRemoved: edition,
    WebhookDisabled: edition,
    WebhookRevived: edition,
    WebhookHeaderRegistered: edition,
    WebhookHeaderRemoved: edition,
  },
};
