import type { ShownHeader } from '../../../application/webhooks/headers.js';
import type { DeliveryStatus } from '../../../projections/deliveries.js';
import { chainText, stored } from '../records.js';
import { extension, flag, id, int64, list, record, text, timestamp } from '../schema.js';

/** docs/specification.md#211-webhook */
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
  notification_types: extension(list(id)),
  final: extension(flag()),
};
export const webhookRecord = record<WebhookRecord>(webhookFields);
export const webhookWithSecret = record<WebhookRecord & { secret: string }>({ ...webhookFields, secret: id });

export const webhookHeaderRecord = record<ShownHeader>({
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
export const historyRecord = record<HistoryRecord>({
  webhook_history_id: id,
  webhook_id: id,
  webhook_status: chainText,
  notification_type: chainText,
  delivery_count: int64({ minimum: 0 }),
  delivery_time: timestamp,
  data: { type: 'object' },
});

/** Attempt of a delivery. `status_code` is null without a response, `next_attempt_time` if no other attempt was planned. */
export type AttemptRecord = {
  attempt: number;
  attempt_time: string;
  status_code: number | null;
  failure: string;
  duration_ms: number;
  response_excerpt: string;
  next_attempt_time: string | null;
};
export const attemptRecord = record<AttemptRecord>({
  attempt: int64({ minimum: 1 }),
  attempt_time: timestamp,
  status_code: { type: ['integer', 'null'], minimum: 100, maximum: 999 },
  failure: text(0, 1000),
  duration_ms: int64({ minimum: 0 }),
  response_excerpt: text(0, 1024),
  next_attempt_time: { type: ['string', 'null'], format: 'date-time' },
});
