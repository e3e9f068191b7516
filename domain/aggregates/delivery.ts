import type { Decider } from '../decider.js';
import { nextRetry } from './delivery/retry-schedule.js';
import type { OfWebhook } from './webhook.js';

type Named = OfWebhook & {
  /** Id of the delivery: the `webhook_history_id` of the notification. */
  deliveryId: string;
};
type Requested = Named & {
  /** Type of the notification: its `notification_type`. */
  notificationType: string;
  /** Content of the notification, as sent to the receiver. Its fields depend on the type of the notification. */
  data: object;
};
type Recorded = Omit<Requested, 'webhookId'>;
type Attempt = Named & {
  /** HTTP status of the response; null if there was no response, for the reason in `failure`. */
  status: number | null;
  /** Reason why there was no response; empty if there was a response. */
  failure: string;
  /** Duration of the attempt in milliseconds. */
  durationMs: number;
  /** Beginning of the response body, at most one kibibyte. */
  answer: string;
  /** Unix time in milliseconds at which the attempt ended. */
  at: number;
};
type Attempted = Attempt & {
  /** Result: `completed` after a 2xx status, `retrying` if another attempt follows, otherwise `failed`. */
  outcome: 'completed' | 'retrying' | 'failed';
  /** Unix time in milliseconds of the next attempt; null after the last attempt. */
  nextAt: number | null;
};

export type DeliveryEvent =
  | { type: 'DeliveryRequested'; data: Requested }
  | { type: 'DeliveryAttempted'; data: Attempted }
  | { type: 'DeliveryCanceled'; data: Named }
  | { type: 'DeliveryResent'; data: Named }
  /** The webhook is disabled: no attempt is made until the delivery is resent. */
  | { type: 'DeliveryParked'; data: Named };
/** Notification that was sent to no webhook: only the notification feed contains it. */
export type NotificationEvent = { type: 'NotificationRecorded'; data: Recorded };
export type DeliveryCommand =
  | { type: 'Request'; data: Requested }
  /**
   * `jitter` is a random number from 0 to 1. `retryAt` is the earliest time for a retry that the receiver requested, in
   * Unix ms; null if the receiver requested no time.
   */
  | { type: 'Attempt'; data: Attempt & { jitter: number; retryAt: number | null } }
  | { type: 'Cancel'; data: Named }
  | { type: 'Resend'; data: Named }
  | { type: 'Park'; data: Named }
  /** Resends the delivery if it is parked. */
  | { type: 'Unpark'; data: Named }
  | { type: 'Record'; data: Recorded };

export type Delivery = {
  readonly state: 'none' | 'pending' | 'retrying' | 'completed' | 'failed' | 'canceled' | 'parked' | 'recorded';
  readonly request: Requested | null;
  readonly attempts: number;
  /** Number of attempts since the delivery was requested or last resent. */
  readonly tries: number;
  /** Time of the next attempt in Unix ms; 0 means immediately. */
  readonly nextAt: number;
};

/** HTTP status (410 Gone) with which a receiver ends a delivery: the delivery fails without further attempts. */
export const statusGone = 410;

const isOpen = ({ state }: Delivery) => state === 'pending' || state === 'retrying';
const isUndecided = (past: Delivery) => isOpen(past) || past.state === 'parked';
const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;

export const delivery: Decider<DeliveryCommand, DeliveryEvent | NotificationEvent, Delivery> = {
  stream: 'delivery',
  initial: { state: 'none', request: null, attempts: 0, tries: 0, nextAt: 0 },
  decide: {
    Request: ({ state }, data) => (state === 'none' ? [{ type: 'DeliveryRequested', data }] : []),
    Attempt: (past, { jitter, retryAt, ...attempt }) => {
      if (past.request === null) return [];
      const completed = isSuccess(attempt.status);
      // The request was sent, so the attempt is recorded even if another process finished or canceled the delivery
      // meanwhile.
      const isLast = completed || attempt.status === statusGone || !isUndecided(past);
      const nextAt = isLast ? null : nextRetry(past.tries + 1, attempt.at, jitter, retryAt);
      const failed = nextAt === null ? 'failed' : 'retrying';
      return [{ type: 'DeliveryAttempted', data: { ...attempt, outcome: completed ? 'completed' : failed, nextAt } }];
    },
    Cancel: (past, data) => (isUndecided(past) ? [{ type: 'DeliveryCanceled', data }] : []),
    Resend: ({ request }, data) => (request === null ? [] : [{ type: 'DeliveryResent', data }]),
    Park: (past, data) => (isOpen(past) ? [{ type: 'DeliveryParked', data }] : []),
    Unpark: ({ state }, data) => (state === 'parked' ? [{ type: 'DeliveryResent', data }] : []),
    Record: ({ state }, data) => (state === 'none' ? [{ type: 'NotificationRecorded', data }] : []),
  },
  evolve: {
    DeliveryRequested: (past, request) => ({ ...past, state: 'pending', request }),
    DeliveryAttempted: (past, { outcome, nextAt }) => {
      const counted = { ...past, attempts: past.attempts + 1, tries: past.tries + 1 };
      if (outcome === 'completed') return { ...counted, state: outcome };
      if (!isUndecided(past)) return counted;
      const isStillParked = past.state === 'parked' && outcome === 'retrying';
      return { ...counted, state: isStillParked ? 'parked' : outcome, nextAt: nextAt ?? 0 };
    },
    DeliveryCanceled: (past) => ({ ...past, state: 'canceled' }),
    DeliveryResent: (past) => ({ ...past, state: 'pending', tries: 0, nextAt: 0 }),
    DeliveryParked: (past) => ({ ...past, state: 'parked' }),
    NotificationRecorded: (past) => ({ ...past, state: 'recorded' }),
  },
};
