import { testNotification } from '../../../application/webhooks/deliveries.js';
import type { NotificationBody } from '../../../application/webhooks/notification-body.js';
import { balanceDrifted, historySealed } from '../../../domain/aggregates/webhook.js';
import type { Variant } from '../../../domain/variant.js';
import { operation } from '../define.js';
import { pageSize, stored } from '../records.js';
import { anyObject, id, int64, list, named, oneOf, openEnum, timestamp } from '../schema.js';
import { notificationTypes } from './notification-records.js';

const notificationRecord = named<NotificationBody>('Notification', {
  webhook_history_id: id,
  webhook_id: stored,
  organization_id: id,
  notification_type: openEnum(notificationTypes),
  create_time: timestamp,
  data: anyObject,
});

const typesOf = (variant: Variant) => {
  const types = [variant.notificationType, historySealed, balanceDrifted(variant), testNotification];
  return { ...list(oneOf(types), { minItems: 1, maxItems: types.length }), uniqueItems: true };
};

export const listNotifications = operation({
  kind: 'query',
  name: 'ListNotifications',
  summary: 'List notifications, oldest first, and wait for new ones. No webhook is required.',
  surface: 'wallet',
  extension: true,
  waits: true,
  touches: 'events',
  request: {
    after: { schema: id },
    wait_seconds: { schema: int64({ minimum: 0, maximum: 30, default: 0 }) },
    notification_types: { schema: typesOf },
    wallet_id: { schema: id },
    page_size: { schema: pageSize },
  },
  example: () => ({ after: 'latest', wait_seconds: 0 }),
  response: {
    notifications: { schema: list(notificationRecord), required: true },
    next_after: { schema: id, required: true },
  },
  handle: async (app, { after, wait_seconds = 0, notification_types, wallet_id, page_size = 10 }, by) => {
    const wanted = { after, types: notification_types, walletId: wallet_id, size: page_size };
    const { notifications, nextAfter } = await app.notifications.list(by, wanted, wait_seconds * 1000);
    return { notifications: [...notifications], next_after: nextAfter };
  },
});
