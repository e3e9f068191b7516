import { type Variant, variants } from '../../domain/variant.js';
import { notificationExampleOf } from '../operations/examples/answers.js';
import { type NotificationRecord, notificationsOf } from '../operations/webhooks/notification-records.js';
import { type Described, describeRecord, type Json } from './components.js';

const walletApis = variants.filter(({ surface }) => surface === 'wallet');
type Notified = { readonly variant: Variant; readonly notification: NotificationRecord };
/** Notification types of all wallet APIs. */
export const notifications: readonly Notified[] = walletApis.flatMap((variant) =>
  notificationsOf(variant).map((notification) => ({ variant, notification })),
);

export const describedNotification = ({ variant, notification }: Notified): Described => ({
  segment: variant.segment,
  schema: describeRecord(notification.schema),
});
export const describedNotifications = (): Described[] => notifications.map(describedNotification);

/** Headers of a notification (docs/specification.md#83-signatures). */
export const notificationHeaders: Readonly<Record<string, { description: string; schema: object; example: string }>> = {
  'webhook-id': {
    description: 'Id of the notification; the same at every attempt.',
    schema: { type: 'string' },
    example: 'whd_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b',
  },
  'webhook-timestamp': {
    description: 'Unix seconds of the attempt.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1769860800',
  },
  'webhook-signature': {
    description:
      'Signatures of the Standard Webhooks scheme, separated by spaces. Accept the notification if one is valid.',
    schema: { type: 'string' },
    example: 'v1a,SGVsbG8= v1,SGVsbG8=',
  },
};
const parameters = Object.entries(notificationHeaders).map(([name, header]) => ({
  name,
  in: 'header',
  required: true,
  ...header,
}));

const answers = {
  '2XX': { description: 'Accepted within 15 seconds. Any other answer is retried.' },
  410: { description: 'Gone. The webhook is disabled.' },
};

/** Describes the notifications as webhooks of OpenAPI 3.1, such as `c.TransferUpdated`. */
export const webhookItems = (refer: (one: Described) => Json) =>
  Object.fromEntries(
    notifications.map((one) => {
      const { variant, notification } = one;
      const name = `${variant.segment}.${notification.name}`;
      const post = {
        operationId: `${name}Notification`,
        summary: notification.about,
        description: `${notification.about} Signed by the Standard Webhooks scheme.`,
        tags: [variant.segment],
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: refer(describedNotification(one)),
              example: notificationExampleOf(variant, notification.schema),
            },
          },
        },
        responses: answers,
      };
      return [name, { post }];
    }),
  );
