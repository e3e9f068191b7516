import type { DeliveryEvent } from '../domain/aggregates/delivery.js';
import type { WebhookEvent } from '../domain/aggregates/webhook.js';
import type { WebhookHeaderEvent } from '../domain/aggregates/webhook-header.js';
import { type EventContext, ownScope, type Projection } from './define.js';

export type WebhookDocument = {
  webhook_id: string;
  /** Wallet that the webhook covers; empty for every wallet. */
  wallet_id: string;
  endpoint: string;
  confirmation: number;
  disabled: boolean;
  sealed_secret: string;
  create_time: string;
  position: number;
  /** Notification types that the webhook subscribes to; absent for wallet activity only. */
  notification_types?: readonly string[];
  /**
   * Present if the webhook, after a notification of a pending transfer, is notified again when the transfer is
   * confirmed.
   */
  final?: true;
  /**
   * Secret before the last rotation: `sealed` is the encrypted secret, with which notifications are also signed until
   * `until` (Unix ms).
   */
  previous_secret?: { readonly sealed: string; readonly until: number };
};

type Settings = Extract<WebhookEvent, { type: 'WebhookUpdated' }>['data'];
type Standing = Pick<WebhookDocument, 'disabled' | 'create_time' | 'position'>;
const documentOf = (data: Settings, { disabled, create_time, position }: Standing): WebhookDocument => ({
  webhook_id: data.webhookId,
  wallet_id: data.walletId ?? '',
  endpoint: data.endpoint,
  confirmation: data.confirmation,
  disabled,
  sealed_secret: data.sealedSecret,
  create_time,
  position,
  ...(data.notificationTypes && { notification_types: data.notificationTypes }),
  ...(data.final && { final: data.final }),
  ...(data.previousSecret && { previous_secret: data.previousSecret }),
});

export const webhooks: Projection<WebhookEvent, WebhookDocument> = {
  name: 'webhooks',
  version: 1,
  indexes: { all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.webhookId,
  on: {
    WebhookRegistered: (_, data, { occurredAt, position }) =>
      documentOf(data, { disabled: false, create_time: occurredAt, position }),
    WebhookRemoved: () => null,
    WebhookDisabled: (doc) => doc && { ...doc, disabled: true },
    WebhookRevived: (doc) => doc && { ...doc, disabled: false },
    WebhookUpdated: (doc, data) => doc && documentOf(data, doc),
    WebhookSecretRotated: (doc, { sealedSecret, previousSecret }) =>
      doc && { ...doc, sealed_secret: sealedSecret, previous_secret: previousSecret },
  },
};

export type WebhookHeaderDocument = {
  webhook_header_id: string;
  /** Webhook that the header is sent to; empty for every webhook. */
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

/**
 * Time of the first failed attempt since the last success, in Unix ms; null after a success. A webhook that fails for
 * more than five days is disabled.
 */
export type WebhookHealthDocument = { failing_since: number | null };

type HealthEvent =
  | Extract<DeliveryEvent, { type: 'DeliveryAttempted' }>
  | Extract<WebhookEvent, { type: 'WebhookRevived' | 'WebhookUpdated' | 'WebhookRemoved' }>;

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
    // A revived or updated webhook may fail for another full five days before it is disabled.
    WebhookRevived: () => null,
    WebhookUpdated: () => null,
    WebhookRemoved: () => null,
  },
};

/**
 * Event position of the last change to an organization's webhooks or headers. Caches of webhooks and headers are valid
 * while `position` does not change.
 */
export type WebhookEditionDocument = { position: number };

const edition = (_doc: WebhookEditionDocument | null, _data: object, { position }: EventContext) => ({ position });

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
    WebhookUpdated: edition,
    WebhookSecretRotated: edition,
    WebhookHeaderRegistered: edition,
    WebhookHeaderRemoved: edition,
  },
};
