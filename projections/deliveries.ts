import type { DeliveryEvent, NotificationEvent } from '../domain/aggregates/delivery.js';
import { type EventContext, ownScope, type Projection, systemOwner } from './define.js';

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
  /**
   * Sort key: time at which the delivery was requested, to the second, then position of the event that requested it.
   */
  moment: string;
};

const statuses = { completed: 'COMPLETED', retrying: 'RETRYING', failed: 'FAILED' } as const;
const isOpen = ({ status }: HistoryDocument) => status === 'PENDING' || status === 'RETRYING';

/**
 * Returns a sort key that precedes the keys of all deliveries requested in the same second as `occurredAt` or later.
 */
export const historyMoment = (occurredAt: string) => occurredAt.slice(0, 19);

/** Deliveries to webhooks and their outcomes. A parked delivery keeps its status. */
export const webhookHistories: Projection<Exclude<DeliveryEvent, { type: 'DeliveryParked' }>, HistoryDocument> = {
  name: 'webhook_histories',
  version: 2,
  indexes: {
    all: { equal: [], order: 'moment' },
    byWebhook: { equal: ['webhook_id'], order: 'moment' },
    byStatus: { equal: ['status'], order: 'moment' },
    byWebhookAndStatus: { equal: ['webhook_id', 'status'], order: 'moment' },
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

/** Returns the position of the event that requested a delivery. */
export const positionOfHistory = ({ moment }: HistoryDocument) => Number(moment.slice(moment.indexOf('.') + 1));

/**
 * Event position of a notification that only the notification feed contains. A reader that resumes after the id of the
 * notification continues from this position.
 */
export type FeedNotificationDocument = { position: number };

export const feedNotifications: Projection<NotificationEvent, FeedNotificationDocument> = {
  name: 'feed_notifications',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => data.deliveryId,
  on: { NotificationRecorded: (_, _data, { position }) => ({ position }) },
};

/** Maximum number of attempts kept per delivery. Only a delivery that was resent several times has more attempts. */
export const maxKeptAttempts = 50;

export type AttemptDocument = {
  /** HTTP status; null if there was no response. */
  status: number | null;
  failure: string;
  duration_ms: number;
  answer: string;
  /**
   * `at` is the end of the attempt and `next_at` the time of the next attempt, both in Unix ms; `next_at` is null after
   * the last attempt.
   */
  at: number;
  next_at: number | null;
};
/** Number of attempts of one delivery, and the last attempts, oldest first, up to `maxKeptAttempts`. */
export type AttemptsDocument = { count: number; last: readonly AttemptDocument[] };

type AttemptsEvent = Extract<DeliveryEvent, { type: 'DeliveryRequested' | 'DeliveryAttempted' }>;

export const webhookAttempts: Projection<AttemptsEvent, AttemptsDocument> = {
  name: 'webhook_attempts',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => data.deliveryId,
  on: {
    // The document is removed, so that a replay over existing documents does not count the attempts twice.
    DeliveryRequested: () => null,
    DeliveryAttempted: (doc, { status, failure, durationMs, answer, at, nextAt }) => {
      const attempt = { status, failure, duration_ms: durationMs, answer, at, next_at: nextAt };
      return { count: (doc?.count ?? 0) + 1, last: [...(doc?.last ?? []), attempt].slice(-maxKeptAttempts) };
    },
  },
};

/** Unfinished delivery, stored so that the queue of deliveries can be refilled if it is lost. */
export type OpenDeliveryDocument = {
  delivery_id: string;
  /**
   * Scope of the organization and API that the delivery belongs to. The documents themselves are stored in the system
   * scope.
   */
  owner: string;
  webhook_id: string;
  /**
   * Time of the next attempt in Unix ms. Before the first attempt, the time at which the delivery was requested or
   * resent.
   */
  next_at: number;
  position: number;
  /** `yes` while the delivery is not queued, because its webhook is disabled. */
  parked: 'yes' | 'no';
};

// biome-ignore lint/style/noRestrictedGlobals: converts the time of an event, does not read the clock
const unixMs = (occurredAt: string) => Date.parse(occurredAt);

const dueAtOnce = (
  _: OpenDeliveryDocument | null,
  { deliveryId, webhookId }: { deliveryId: string; webhookId: string },
  about: EventContext,
): OpenDeliveryDocument => ({
  delivery_id: deliveryId,
  owner: ownScope(about),
  webhook_id: webhookId,
  next_at: unixMs(about.occurredAt),
  position: about.position,
  parked: 'no',
});

/**
 * Deliveries that the deliverer has to finish. All documents are in a single scope, so that one query finds the overdue
 * deliveries of all organizations.
 */
export const openDeliveries: Projection<DeliveryEvent, OpenDeliveryDocument> = {
  name: 'open_deliveries',
  version: 3,
  presentOnly: true,
  indexes: {
    byNextTry: { equal: ['parked'], order: 'next_at' },
    byWebhook: { equal: ['owner', 'webhook_id'], order: 'position' },
  },
  scope: () => systemOwner,
  key: ({ data }) => data.deliveryId,
  on: {
    DeliveryRequested: dueAtOnce,
    DeliveryAttempted: (doc, { nextAt }) => (doc && nextAt !== null ? { ...doc, next_at: nextAt } : null),
    DeliveryCanceled: () => null,
    DeliveryResent: dueAtOnce,
    DeliveryParked: (doc) => doc && { ...doc, parked: 'yes' },
  },
};
