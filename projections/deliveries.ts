import type { DeliveryEvent } from '../domain/delivery.js';
import { ownScope, type Projection } from './define.js';

export const deliveryStatuses = ['PENDING', 'RETRYING', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export type HistoryDocument = {
  webhook_history_id: string;
  webhook_id: string;
  status: DeliveryStatus;
  notification_type: string;
  delivery_count: number;
  delivery_time: string;
  data: object;
  /** Sorts by when it was requested. */
  moment: string;
};

const statuses = { completed: 'COMPLETED', retrying: 'RETRYING', failed: 'FAILED' } as const;
const isOpen = ({ status }: HistoryDocument) => status === 'PENDING' || status === 'RETRYING';

/** Before everything that was requested in that second or later. */
export const historyMoment = (occurredAt: string) => occurredAt.slice(0, 19);

/** What was sent to webhooks, and what became of it. */
export const webhookHistories: Projection<DeliveryEvent, HistoryDocument> = {
  name: 'webhook_histories',
  version: 1,
  indexes: {
    all: { equal: [], order: 'moment' },
    byWebhook: { equal: ['webhook_id'], order: 'moment' },
  },
  scope: ownScope,
  key: ({ data }) => data.deliveryId,
  on: {
    DeliveryRequested: (_, { deliveryId, webhookId, notificationType, data }, { occurredAt, position }) => ({
      webhook_history_id: deliveryId,
      webhook_id: webhookId,
      status: 'PENDING',
      notification_type: notificationType,
      delivery_count: 0,
      delivery_time: occurredAt,
      data,
      moment: `${historyMoment(occurredAt)}.${String(position).padStart(16, '0')}`,
    }),
    DeliveryAttempted: (doc, { outcome }, { occurredAt }) =>
      doc && {
        ...doc,
        status: outcome === 'completed' || isOpen(doc) ? statuses[outcome] : doc.status,
        delivery_count: doc.delivery_count + 1,
        delivery_time: occurredAt,
      },
    DeliveryCanceled: (doc) => doc && { ...doc, status: 'CANCELED' },
    DeliveryResent: (doc) => doc && { ...doc, status: 'PENDING' },
  },
};

/** What is still to be sent, for whoever has to put it into the queue again. */
export type OpenDeliveryDocument = { delivery_id: string; webhook_id: string; next_at: number; position: number };

export const openDeliveries: Projection<DeliveryEvent, OpenDeliveryDocument> = {
  name: 'open_deliveries',
  version: 1,
  indexes: { byWebhook: { equal: ['webhook_id'], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.deliveryId,
  on: {
    DeliveryRequested: (_, { deliveryId, webhookId }, { position }) => ({
      delivery_id: deliveryId,
      webhook_id: webhookId,
      next_at: 0,
      position,
    }),
    DeliveryAttempted: (doc, { nextAt }) => (doc && nextAt !== null ? { ...doc, next_at: nextAt } : null),
    DeliveryCanceled: () => null,
    DeliveryResent: (_, { deliveryId, webhookId }, { position }) => ({
      delivery_id: deliveryId,
      webhook_id: webhookId,
      next_at: 0,
      position,
    }),
  },
};
