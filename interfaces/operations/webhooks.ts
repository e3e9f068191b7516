import type { OpenWebhook } from '../../application/webhooks/webhooks.js';
import { historySealed } from '../../domain/aggregates/webhook.js';
import { fail } from '../../domain/failure.js';
import { deliveryStatuses, type HistoryDocument } from '../../projections/deliveries.js';
import { operation } from './define.js';
import { anyDelivery, anyHeader, anyWebhook } from './examples/ids.js';
import {
  type HistoryRecord,
  historyRecord,
  pageSize,
  pageToken,
  pagination,
  unixTime,
  type WebhookRecord,
  webhookHeaderRecord,
  webhookRecord,
  webhookStatusOf,
  webhookWithSecret,
} from './records.js';
import { extension, id, int64, list, oneOf, text } from './schema.js';

const showWebhook = (webhook: Omit<OpenWebhook, 'secret'>): WebhookRecord => ({
  webhook_id: webhook.webhook_id,
  wallet_id: webhook.wallet_id,
  webhook_endpoint: webhook.endpoint,
  confirmation: webhook.confirmation,
  disabled: webhook.disabled,
  public_key: webhook.public_key,
  create_time: webhook.create_time,
  ...(webhook.notification_types && { notification_types: [...webhook.notification_types] }),
});
const showHistory = ({ moment, status, ...history }: HistoryDocument): HistoryRecord => ({
  ...history,
  webhook_status: webhookStatusOf(status),
});

/** Notification types that a webhook can subscribe to; `own` is the API's type, which is the default. */
const notificationTypes = (own: string) =>
  extension({ ...list(oneOf([own, historySealed]), { minItems: 1, maxItems: 2 }), uniqueItems: true });

export const registerWebhook = operation({
  kind: 'command',
  name: 'RegisterWebhook',
  summary: 'Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations.',
  surface: 'wallet',
  request: {
    wallet_id: { schema: id },
    webhook_endpoint: { schema: text(1, 2048), required: true },
    confirmation: {
      schema: ({ maxConfirmations: maximum }) => int64({ minimum: 0, maximum }),
      required: true,
    },
    notification_types: { schema: ({ notificationType }) => notificationTypes(notificationType) },
  },
  example: () => ({ webhook_endpoint: 'https://example.com/hooks/chainfold', confirmation: 10 }),
  response: { webhook_id: { schema: id, required: true } },
  handle: (app, { wallet_id, webhook_endpoint, confirmation, notification_types }, by) =>
    app.webhooks.register(by, {
      walletId: wallet_id,
      endpoint: webhook_endpoint,
      confirmation,
      notificationTypes: notification_types,
    }),
});

export const removeWebhook = operation({
  kind: 'command',
  name: 'RemoveWebhook',
  summary: 'Remove a webhook. Its pending deliveries are canceled.',
  surface: 'wallet',
  request: { webhook_id: { schema: id, required: true } },
  example: () => ({ webhook_id: anyWebhook }),
  response: {},
  handle: (app, { webhook_id }, by) => app.webhooks.remove(by, webhook_id),
});

export const getWebhook = operation({
  kind: 'query',
  name: 'GetWebhook',
  summary: 'Get a webhook, including the secret that signs its deliveries.',
  surface: 'wallet',
  extension: true,
  request: { webhook_id: { schema: id, required: true } },
  example: () => ({ webhook_id: anyWebhook }),
  response: { webhook: { schema: webhookWithSecret, required: true } },
  handle: async (app, { webhook_id }, by) => {
    const found = (await app.webhooks.find(by, webhook_id)) ?? fail('NOT_FOUND', `Webhook not found: ${webhook_id}`);
    return { webhook: { ...showWebhook(found), secret: found.secret } };
  },
});

export const listWebhooks = operation({
  kind: 'query',
  name: 'ListWebhooks',
  summary: 'List the webhooks, newest first.',
  surface: 'wallet',
  extension: true,
  request: { page_size: { schema: pageSize }, page_token: { schema: pageToken } },
  example: () => ({ page_size: 10 }),
  response: {
    webhooks: { schema: list(webhookRecord), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { page_size = 10, page_token }, by) => {
    const { documents, nextPageToken } = await app.webhooks.list(by, { size: page_size, token: page_token });
    return { webhooks: documents.map(showWebhook), pagination: { next_page_token: nextPageToken } };
  },
});

export const registerWebhookHeader = operation({
  kind: 'command',
  name: 'RegisterWebhookHeader',
  summary: 'Add a header to the deliveries of a webhook, or of every webhook if none is given.',
  surface: 'wallet',
  request: {
    webhook_id: { schema: id },
    header_key: { schema: text(1, 1000), required: true },
    header_value: { schema: text(0, 1000), required: true },
  },
  example: () => ({ header_key: 'x-environment', header_value: 'staging' }),
  response: { webhook_header_id: { schema: id, required: true } },
  handle: (app, { webhook_id, header_key, header_value }, by) =>
    app.webhookHeaders.register(by, { webhookId: webhook_id, name: header_key, value: header_value }),
});

export const removeWebhookHeader = operation({
  kind: 'command',
  name: 'RemoveWebhookHeader',
  summary: 'Remove a header from deliveries.',
  surface: 'wallet',
  request: { webhook_header_id: { schema: id, required: true } },
  example: () => ({ webhook_header_id: anyHeader }),
  response: {},
  handle: (app, { webhook_header_id }, by) => app.webhookHeaders.remove(by, webhook_header_id),
});

export const listWebhookHeaders = operation({
  kind: 'query',
  name: 'ListWebhookHeaders',
  summary: 'List the headers of a webhook, or, if none is given, the headers sent to every webhook.',
  surface: 'wallet',
  isLarge: true,
  request: { webhook_id: { schema: id } },
  example: () => ({}),
  response: { webhook_headers: { schema: list(webhookHeaderRecord), required: true } },
  handle: async (app, { webhook_id }, by) => ({ webhook_headers: await app.webhookHeaders.list(by, webhook_id) }),
});

export const listWebhookHistories = operation({
  kind: 'query',
  name: 'ListWebhookHistories',
  summary: 'List deliveries to webhooks with their outcomes, newest first.',
  surface: 'wallet',
  request: {
    webhook_id: { schema: id },
    start_time: { schema: unixTime },
    end_time: { schema: unixTime },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: () => ({ page_size: 10 }),
  response: {
    webhook_histories: { schema: list(historyRecord), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, request, by) => {
    const filter = { webhookId: request.webhook_id, startTime: request.start_time, endTime: request.end_time };
    const page = { size: request.page_size ?? 10, token: request.page_token };
    const { documents, nextPageToken } = await app.deliveries.list(by, filter, page);
    return {
      webhook_histories: documents.map(showHistory),
      pagination: { next_page_token: nextPageToken },
    };
  },
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
    webhook_status: { schema: oneOf(deliveryStatuses.map(webhookStatusOf)) },
  },
  example: () => ({ webhook_id: anyWebhook, webhook_status: webhookStatusOf('FAILED') }),
  response: { count: { schema: int64({ minimum: 0 }), required: true } },
  handle: (app, { webhook_id, start_time, end_time, webhook_status }, by) =>
    app.deliveries.resendMany(by, {
      webhookId: webhook_id,
      startTime: start_time,
      endTime: end_time,
      status: deliveryStatuses.find((status) => webhookStatusOf(status) === webhook_status),
    }),
});
