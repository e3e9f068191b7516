import type { NumberedAttempt } from '../../../application/webhooks/deliveries.js';
import { deliveryStatuses, type HistoryDocument } from '../../../projections/deliveries.js';
import { operation } from '../define.js';
import { anyDelivery, anyWebhook } from '../examples/ids.js';
import { pageSize, pageToken, pagination, unixTime } from '../records.js';
import { extension, id, int64, list, oneOf } from '../schema.js';
import {
  type AttemptRecord,
  attemptRecord,
  type HistoryRecord,
  historyRecord,
  webhookStatusOf,
} from './webhook-records.js';

const showHistory = ({ moment, status, ...history }: HistoryDocument): HistoryRecord => ({
  ...history,
  webhook_status: webhookStatusOf(status),
});

const timeOf = (unixMs: number) => new Date(unixMs).toISOString();
const showAttempt = ({
  attempt,
  status,
  failure,
  duration_ms,
  answer,
  at,
  next_at,
}: NumberedAttempt): AttemptRecord => ({
  attempt,
  attempt_time: timeOf(at),
  status_code: status,
  failure,
  duration_ms,
  response_excerpt: answer,
  next_attempt_time: next_at === null ? null : timeOf(next_at),
});

const webhookStatus = oneOf(deliveryStatuses.map(webhookStatusOf));
const statusOf = (shown: string | undefined) => deliveryStatuses.find((status) => webhookStatusOf(status) === shown);

export const listWebhookHistories = operation({
  kind: 'query',
  name: 'ListWebhookHistories',
  summary: 'List deliveries to webhooks with their outcomes, newest first.',
  surface: 'wallet',
  request: {
    webhook_id: { schema: id },
    start_time: { schema: unixTime },
    end_time: { schema: unixTime },
    webhook_status: { schema: extension(webhookStatus) },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: () => ({ page_size: 10 }),
  response: {
    webhook_histories: { schema: list(historyRecord), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, request, by) => {
    const filter = {
      webhookId: request.webhook_id,
      startTime: request.start_time,
      endTime: request.end_time,
      status: statusOf(request.webhook_status),
    };
    const page = { size: request.page_size ?? 10, token: request.page_token };
    const { documents, nextPageToken } = await app.deliveries.list(by, filter, page);
    return {
      webhook_histories: documents.map(showHistory),
      pagination: { next_page_token: nextPageToken },
    };
  },
});

export const listWebhookAttempts = operation({
  kind: 'query',
  name: 'ListWebhookAttempts',
  summary: 'List the attempts of a delivery with their outcomes, oldest first.',
  surface: 'wallet',
  extension: true,
  request: { webhook_history_id: { schema: id, required: true } },
  example: () => ({ webhook_history_id: anyDelivery }),
  response: { webhook_attempts: { schema: list(attemptRecord), required: true } },
  handle: async (app, { webhook_history_id }, by) => ({
    webhook_attempts: (await app.deliveries.attempts(by, webhook_history_id)).map(showAttempt),
  }),
});

export const resendWebhook = operation({
  kind: 'command',
  name: 'ResendWebhook',
  summary: 'Resend a delivery now. A disabled webhook is enabled again.',
  surface: 'wallet',
  extension: true,
  request: { webhook_history_id: { schema: id, required: true } },
  example: () => ({ webhook_history_id: anyDelivery }),
  response: {},
  handle: (app, { webhook_history_id }, by) => app.deliveries.resend(by, webhook_history_id),
});

export const resendWebhooks = operation({
  kind: 'command',
  name: 'ResendWebhooks',
  summary:
    'Resend all deliveries that a webhook has not accepted, or all with a given status. A disabled webhook is enabled again.',
  surface: 'wallet',
  touches: 'notifications',
  extension: true,
  request: {
    webhook_id: { schema: id, required: true },
    start_time: { schema: unixTime },
    end_time: { schema: unixTime },
    webhook_status: { schema: webhookStatus },
  },
  example: () => ({ webhook_id: anyWebhook, webhook_status: webhookStatusOf('FAILED') }),
  response: { count: { schema: int64({ minimum: 0 }), required: true } },
  handle: (app, { webhook_id, start_time, end_time, webhook_status }, by) =>
    app.deliveries.resendMany(by, {
      webhookId: webhook_id,
      startTime: start_time,
      endTime: end_time,
      status: statusOf(webhook_status),
    }),
});

export const sendTestWebhook = operation({
  kind: 'command',
  name: 'SendTestWebhook',
  summary: 'Send a test notification to a webhook.',
  surface: 'wallet',
  extension: true,
  request: { webhook_id: { schema: id, required: true } },
  example: () => ({ webhook_id: anyWebhook }),
  response: { webhook_history_id: { schema: id, required: true } },
  handle: (app, { webhook_id }, by) => app.deliveries.requestTest(by, webhook_id),
});
