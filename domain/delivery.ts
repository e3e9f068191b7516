import type { Decider } from './decider.js';

/** `data` is what the receiver gets and the history shows. */
type Requested = {
  deliveryId: string;
  webhookId: string;
  notificationType: string;
  data: object;
};
type Attempt = {
  deliveryId: string;
  webhookId: string;
  /** Null when there was no answer; `failure` says why. */
  status: number | null;
  failure: string;
  durationMs: number;
  /** The beginning of what the receiver answered. */
  answer: string;
  /** Unix ms. */
  at: number;
};
type Attempted = Attempt & {
  outcome: 'completed' | 'retrying' | 'failed';
  /** When it is tried again, Unix ms. */
  nextAt: number | null;
};
type Named = { deliveryId: string; webhookId: string };

export type DeliveryEvent =
  | { type: 'DeliveryRequested'; data: Requested }
  | { type: 'DeliveryAttempted'; data: Attempted }
  | { type: 'DeliveryCanceled'; data: Named }
  | { type: 'DeliveryResent'; data: Named };
export type DeliveryCommand =
  | { type: 'Request'; data: Requested }
  /** `jitter` is from 0 to 1; `retryAt`: the receiver asked to be left alone until then. */
  | { type: 'Attempt'; data: Attempt & { jitter: number; retryAt: number | null } }
  | { type: 'Cancel'; data: Named }
  | { type: 'Resend'; data: Named };

export type Delivery = {
  readonly state: 'none' | 'pending' | 'retrying' | 'completed' | 'failed' | 'canceled';
  readonly request: Requested | null;
  readonly attempts: number;
  /** Since it was asked for, or asked for again. */
  readonly tries: number;
  readonly nextAt: number;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
/** How long to wait after each failed try; after the last there is none. */
export const retryDelays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
];
export const spread = 0.1;

/** The receiver says that nobody will ever take it there. */
export const gone = 410;

const isOpen = ({ state }: Delivery) => state === 'pending' || state === 'retrying';
const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;

/** After so many failed tries: when to try again, or null when no more. */
const nextTry = (tries: number, at: number, jitter: number, retryAt: number | null) => {
  const delay = retryDelays[tries - 1];
  if (delay === undefined) return null;
  return Math.max(Math.round(at + delay * (1 - spread + 2 * spread * jitter)), retryAt ?? 0);
};

export const delivery: Decider<DeliveryCommand, DeliveryEvent, Delivery> = {
  stream: 'delivery',
  initial: { state: 'none', request: null, attempts: 0, tries: 0, nextAt: 0 },
  decide: {
    Request: ({ state }, data) => (state === 'none' ? [{ type: 'DeliveryRequested', data }] : []),
    Attempt: (past, { jitter, retryAt, ...attempt }) => {
      // Posted though it was finished meanwhile: by another process, or canceled on the way. It happened all the same.
      if (past.state === 'none') return [];
      const completed = isSuccess(attempt.status);
      const isLast = completed || attempt.status === gone || !isOpen(past);
      const nextAt = isLast ? null : nextTry(past.tries + 1, attempt.at, jitter, retryAt);
      const failed = nextAt === null ? 'failed' : 'retrying';
      return [{ type: 'DeliveryAttempted', data: { ...attempt, outcome: completed ? 'completed' : failed, nextAt } }];
    },
    Cancel: (past, data) => (isOpen(past) ? [{ type: 'DeliveryCanceled', data }] : []),
    Resend: ({ state }, data) => (state === 'none' ? [] : [{ type: 'DeliveryResent', data }]),
  },
  evolve: {
    DeliveryRequested: (past, request) => ({ ...past, state: 'pending', request }),
    DeliveryAttempted: (past, { outcome, nextAt }) => {
      const counted = { ...past, attempts: past.attempts + 1, tries: past.tries + 1 };
      if (outcome === 'completed') return { ...counted, state: outcome };
      return isOpen(past) ? { ...counted, state: outcome, nextAt: nextAt ?? 0 } : counted;
    },
    DeliveryCanceled: (past) => ({ ...past, state: 'canceled' }),
    DeliveryResent: (past) => ({ ...past, state: 'pending', tries: 0, nextAt: 0 }),
  },
};
