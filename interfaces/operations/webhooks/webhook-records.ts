import type { ShownHeader } from '../../../application/webhooks/headers.js';
import { type DeliveryStatus, deliveryStatuses } from '../../../projections/deliveries.js';
import { stored } from '../records.js';
import { anyObject, extension, flag, id, int64, list, named, openEnum, text, timestamp } from '../schema.js';
import { notificationTypes } from './notification-records.js';

/** Webhook as the API returns it (docs/specification.md#211-webhook). */
export type WebhookRecord = {
  webhook_id: string;
  wallet_id: string;
  webhook_endpoint: string;
  confirmation: number;
  disabled: boolean;
  public_key: string;
  create_time: string;
  notification_types?: string[];
  final?: boolean;
};
const webhookFields = {
  webhook_id: id,
  wallet_id: stored,
  webhook_endpoint: text(1, 2048),
  confirmation: int64({ minimum: 0 }),
  disabled: flag(),
  public_key: extension(id),
  create_time: timestamp,
  notification_types: extension(list(openEnum(notificationTypes))),
  final: extension(flag()),
};
export const webhookRecord = named<WebhookRecord>('Webhook', webhookFields);
export const webhookWithSecret = named<WebhookRecord & { secret: string }>('WebhookWithSecret', {
  ...webhookFields,
  secret: id,
});

export const webhookHeaderRecord = named<ShownHeader>('WebhookHeader', {
  webhook_header_id: id,
  webhook_id: stored,
  header_key: text(1, 1000),
  header_value: text(0, 1000),
});

export const webhookStatusOf = (status: DeliveryStatus) => `WEBHOOK_STATUS_${status}`;
export type HistoryRecord = {
  webhook_history_id: string;
  webhook_id: string;
  webhook_status: string;
  notification_type: string;
  delivery_count: number;
  delivery_time: string;
  data: object;
};
export const historyRecord = named<HistoryRecord>('WebhookHistory', {
  webhook_history_id: id,
  webhook_id: id,
  webhook_status: openEnum(deliveryStatuses.map(webhookStatusOf)),
  notification_type: openEnum(notificationTypes),
  delivery_count: int64({ minimum: 0 }),
  delivery_time: timestamp,
  data: anyObject,
});

/**
 * Attempt of a delivery. `status_code` is null if the receiver did not respond. `next_attempt_time` is null if no
 * further attempt was planned.
 */
export type AttemptRecord = {
  attempt: number;
  attempt_time: string;
  status_code: number | null;
  failure: string;
  duration_ms: number;
  response_excerpt: string;
  next_attempt_time: string | null;
};
export const attemptRecord = named<AttemptRecord>('WebhookAttempt', {
  attempt: int64({ minimum: 1 }),
  attempt_time: timestamp,
  status_code: { type: ['integer', 'null'], minimum: 100, maximum: 999 },
  failure: text(0, 1000),
  duration_ms: int64({ minimum: 0 }),
  response_excerpt: text(0, 1024),
  next_attempt_time: { type: ['string', 'null'], format: 'date-time' },
});
