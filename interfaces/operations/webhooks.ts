import type { OpenWebhook } from '../../application/webhooks/registration/secrets.js';
import { balanceDrifted, historySealed } from '../../domain/aggregates/webhook.js';
import { fail } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { operation } from './define.js';
import { anyHeader, anyWebhook } from './examples/ids.js';
import { pageSize, pageToken, pagination } from './records.js';
import { extension, flag, id, int64, list, oneOf, text } from './schema.js';
import {
  type WebhookRecord,
  webhookHeaderRecord,
  webhookRecord,
  webhookWithSecret,
} from './webhooks/webhook-records.js';

const showWebhook = (webhook: Omit<OpenWebhook, 'secret' | 'previous'>): WebhookRecord => ({
  webhook_id: webhook.webhook_id,
  wallet_id: webhook.wallet_id,
  webhook_endpoint: webhook.endpoint,
  confirmation: webhook.confirmation,
  disabled: webhook.disabled,
  public_key: webhook.public_key,
  create_time: webhook.create_time,
  ...(webhook.notification_types && { notification_types: [...webhook.notification_types] }),
  final: webhook.final ?? false,
});
const confirmation = ({ maxConfirmations: maximum }: Variant) => int64({ minimum: 0, maximum });
const endpoint = text(1, 2048);
/**
 * Schema of the notification types that a webhook can subscribe to. The first type, which notifies of the activity of
 * the API's wallets, is the default.
 */
const notificationTypes = (variant: Variant) => {
  const types = [variant.notificationType, historySealed, balanceDrifted(variant)];
  return extension({ ...list(oneOf(types), { minItems: 1, maxItems: types.length }), uniqueItems: true });
};

export const registerWebhook = operation({
  kind: 'command',
  name: 'RegisterWebhook',
  summary: 'Register a webhook for the activity of a wallet, or of every wallet, once it has the given confirmations.',
  surface: 'wallet',
  request: {
    wallet_id: { schema: id },
    webhook_endpoint: { schema: endpoint, required: true },
    confirmation: { schema: confirmation, required: true },
    notification_types: { schema: notificationTypes },
    final: { schema: extension(flag(false)) },
  },
  example: () => ({ webhook_endpoint: 'https://example.com/hooks/chainfold', confirmation: 10 }),
  response: { webhook_id: { schema: id, required: true } },
  handle: (app, { wallet_id, webhook_endpoint, confirmation, notification_types, final }, by) =>
    app.webhooks.register(by, {
      walletId: wallet_id,
      endpoint: webhook_endpoint,
      confirmation,
      notificationTypes: notification_types,
      final,
    }),
});

export const updateWebhook = operation({
  kind: 'command',
  name: 'UpdateWebhook',
  summary: 'Change the settings of a webhook, or disable or enable it. Fields that are absent stay as they are.',
  surface: 'wallet',
  extension: true,
  request: {
    webhook_id: { schema: id, required: true },
    webhook_endpoint: { schema: endpoint },
    confirmation: { schema: confirmation },
    notification_types: { schema: notificationTypes },
    final: { schema: flag() },
    disabled: { schema: flag() },
  },
  example: () => ({ webhook_id: anyWebhook, webhook_endpoint: 'https://example.com/hooks/v2', final: true }),
  response: {},
  handle: (app, { webhook_id, webhook_endpoint, confirmation, notification_types, final, disabled }, by) =>
    app.webhooks.update(by, webhook_id, {
      endpoint: webhook_endpoint,
      confirmation,
      notificationTypes: notification_types,
      final,
      disabled,
    }),
});

export const rotateWebhookSecret = operation({
  kind: 'command',
  name: 'RotateWebhookSecret',
  summary: 'Replace the secret of a webhook. For 24 hours, deliveries are signed with both secrets.',
  surface: 'wallet',
  extension: true,
  request: { webhook_id: { schema: id, required: true } },
  example: () => ({ webhook_id: anyWebhook }),
  response: {},
  handle: (app, { webhook_id }, by) => app.webhooks.rotateSecret(by, webhook_id),
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
  confidential: true,
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
  confidential: true,
  isLarge: true,
  request: { webhook_id: { schema: id } },
  example: () => ({}),
  response: { webhook_headers: { schema: list(webhookHeaderRecord), required: true } },
  handle: async (app, { webhook_id }, by) => ({ webhook_headers: await app.webhookHeaders.list(by, webhook_id) }),
});
