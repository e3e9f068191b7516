import type { Decider } from '../decider.js';

/** `data` is the content of the notification, as sent to the receiver. */
type Requested = {
  deliveryId: string;
  webhookId: string;
  notificationType: string;
  data: object;
};
type Attempt = {
  deliveryId: string;
  webhookId: string;
  /** HTTP status of the response; null if there was none, in which case `failure` has the reason. */
  status: number | null;
  failure: string;
  durationMs: number;
  /** Beginning of the response body. */
  answer: string;
  /** Time of the attempt in Unix ms. */
  at: number;
};
type Attempted = Attempt & {
  outcome: 'completed' | 'retrying' | 'failed';
  /** Time of the next attempt in Unix ms; null after the last. */
  nextAt: number | null;
};
type Named = { deliveryId: string; webhookId: string };

export type DeliveryEvent =
  | { type: 'DeliveryRequested'; data: Requested }
  | { type: 'DeliveryAttempted'; data: Attempted }
  | { type: 'DeliveryCanceled'; data: Named }
  | { type: 'DeliveryResent'; data: Named }
  /** The webhook is disabled: no attempt is made until the delivery is resent. */
  | { type: 'DeliveryParked'; data: Named };
export type DeliveryCommand =
  | { type: 'Request'; data: Requested }
  /**
   * `jitter` is from 0 to 1. `retryAt` is the Unix ms before which the receiver asked for no retry; null if it did not.
   */
  | { type: 'Attempt'; data: Attempt & { jitter: number; retryAt: number | null } }
  | { type: 'Cancel'; data: Named }
  | { type: 'Resend'; data: Named }
  | { type: 'Park'; data: Named }
  /** Resends the delivery if it is parked. */
  | { type: 'Unpark'; data: Named };

export type Delivery = {
  readonly state: 'none' | 'pending' | 'retrying' | 'completed' | 'failed' | 'canceled' | 'parked';
  readonly request: Requested | null;
  readonly attempts: number;
  /** Attempts since the delivery was requested or last resent. */
  readonly tries: number;
  /** Time of the next attempt in Unix ms; 0 means at once. */
  readonly nextAt: number;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** Delay before each retry in ms. The delivery fails after the last one. */
export const retryDelays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];
/** Fraction by which a retry delay is randomly shortened or lengthened. */
export const retryJitter = 0.1;

/** HTTP status with which a receiver ends a delivery without retries. */
export const statusGone = 410;

const isOpen = ({ state }: Delivery) => state === 'pending' || state === 'retrying';
const isUndecided = (past: Delivery) => isOpen(past) || past.state === 'parked';
const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;

/** Returns the time of the next attempt in Unix ms after `tries` failed ones; null if no retry is left. */
const nextTry = (tries: number, at: number, jitter: number, retryAt: number | null) => {
  const delay = retryDelays[tries - 1];
  if (delay === undefined) return null;
  return Math.max(Math.round(at + delay * (1 - retryJitter + 2 * retryJitter * jitter)), retryAt ?? 0);
};

export const delivery: Decider<DeliveryCommand, DeliveryEvent, Delivery> = {
  stream: 'delivery',
  initial: { state: 'none', request: null, attempts: 0, tries: 0, nextAt: 0 },
  decide: {
    Request: ({ state }, data) => (state === 'none' ? [{ type: 'DeliveryRequested', data }] : []),
    Attempt: (past, { jitter, retryAt, ...attempt }) => {
      if (past.state === 'none') return [];
      const completed = isSuccess(attempt.status);
      // The request was sent, so it is recorded even if another process finished or canceled the delivery meanwhile.
      const isLast = completed || attempt.status === statusGone || !isUndecided(past);
      const nextAt = isLast ? null : nextTry(past.tries + 1, attempt.at, jitter, retryAt);
      const failed = nextAt === null ? 'failed' : 'retrying';
      return [{ type: 'DeliveryAttempted', data: { ...attempt, outcome: completed ? 'completed' : failed, nextAt } }];
    },
    Cancel: (past, data) => (isUndecided(past) ? [{ type: 'DeliveryCanceled', data }] : []),
    Resend: ({ state }, data) => (state === 'none' ? [] : [{ type: 'DeliveryResent', data }]),
    Park: (past, data) => (isOpen(past) ? [{ type: 'DeliveryParked', data }] : []),
    Unpark: ({ state }, data) => (state === 'parked' ? [{ type: 'DeliveryResent', data }] : []),
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
  },
};
