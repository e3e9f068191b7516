import type { Ledger } from '../../domain/aggregates/ledger.js';
import { thresholdOf, type Variant } from '../../domain/variant.js';
import type { TransferState } from '../../projections/transfers.js';
import { webhooks } from '../../projections/webhooks.js';
import type { Descriptions } from '../assets/token-descriptions.js';
import { stateOf } from '../assets/wire-records.js';
import { allSettledOrThrow } from '../async/turns/organization-queue.js';
import { type Context, scopeFor } from '../commands/handle.js';
import { settledState, transferData } from '../notifications/transfer-data.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Activity } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import type { Listener } from '../watch-list/webhook-listeners.js';
import { type Deliveries, deliveryIdFor, deliveryStream } from '../webhooks/deliveries.js';
import type { LedgerWriter, TracedLedger } from './ledger-writer.js';
import { createProgress, runPiece } from './progress/notification-progress.js';

/** Requests webhook deliveries for the transfers of activities, in bounded pieces. */
export type Notifier = {
  /**
   * Requests a piece of the deliveries to webhooks that `depth` confirmations suffice for, each delivery once. `left`
   * is `more` if another piece is due now, `later` if only webhooks that require more confirmations are left, `nothing`
   * if no delivery is left, and `outdated` if the ledger shows that the activity has changed, for example because a
   * reorg dropped its block. The changed activity is queued again. `count` is the number of transfers in the activity's
   * ledger. `isNotified` is false while no webhook was notified, for example because all webhooks are disabled.
   */
  notify(activity: Activity, depth: number, isConfirmed: boolean): Promise<NotifyResult>;
  /**
   * Requests one piece of the deliveries that retract notifications of removed transfers. Returns false while further
   * pieces are left.
   */
  retract(activity: Activity): Promise<boolean>;
  hasListeners(activity: Activity): boolean;
};

type NotifyResult = {
  readonly left: 'more' | 'later' | 'nothing' | 'outdated';
  readonly count: number;
  readonly isNotified: boolean;
};
type Seen = Ledger['transfers'][number];
type TransferNotification = { readonly seen: Seen; readonly state: TransferState; readonly deliveryId: string };
type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly ledgers: LedgerWriter;
  readonly watched: WatchList;
  readonly deliveries: Deliveries;
  readonly descriptions: Descriptions;
  readonly system: System;
};
const isDeep = (variant: Variant, { confirmation }: Listener, depth: number) =>
  thresholdOf(variant, confirmation) <= depth;

/**
 * Returns whether the ledger is still in the phase that the index of activities shows, because the index may lag behind
 * the ledgers.
 */
const isCurrent = ({ phase }: Ledger, isConfirmed: boolean) =>
  isConfirmed ? phase === 'open' : phase !== 'dropped' && phase !== 'due';

const contextOf = (variant: Variant, { organizationId, block }: Activity): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'follower' },
  requestId: `block ${block.hash}`,
  repeatable: true,
});

type LedgerCache = (activity: Activity) => Promise<TracedLedger>;

/**
 * Creates a function that builds notifications to one webhook and requests their deliveries. The webhook is read once.
 */
const createDeliveryRequest =
  ({ readModels, deliveries, descriptions }: Ports, variant: Variant, ledgerOf: LedgerCache) =>
  async (
    activity: Activity,
    { webhookId }: Listener,
    notifications: readonly TransferNotification[],
    depth: number,
  ) => {
    const { traceparent } = await ledgerOf(activity);
    const context = { ...contextOf(variant, activity), traceparent };
    const found = await readModels.get(webhooks, { scope: scopeFor(context), id: webhookId });
    const describe = await descriptions(
      context,
      notifications.map(({ seen }) => seen.transfer.asset),
    );
    const notificationOf = ({ seen, state, deliveryId }: TransferNotification) => ({
      deliveryId,
      data: transferData(variant, activity, { seen, state, confirmations: depth }, describe),
    });
    // A webhook that is not in the read models yet was just registered, so it is not disabled.
    const to = found ?? { webhook_id: webhookId, disabled: false };
    return deliveries.request(context, to, notifications.map(notificationOf));
  };

/**
 * Creates a cache of ledgers, keyed by activity object, because the deliveries of one activity may be requested in
 * several pieces. Each event about an activity creates a new object, so the ledger is then read again.
 */
const createLedgerCache = (ledgers: LedgerWriter) => {
  const read = new WeakMap<Activity, Promise<TracedLedger>>();
  return (activity: Activity) => {
    const found = read.get(activity) ?? ledgers.read(activity);
    read.set(activity, found);
    // A failure is not cached, so that the next attempt reads the ledger again.
    found.catch(() => read.delete(activity));
    return found;
  };
};

/** Creates functions that derive ids of deliveries, and find notifications to retract or to follow up. */
const createDeliveryIds = ({ events, system }: Ports, variant: Variant) => {
  /**
   * Derives the id of a delivery. `drops`, the number of times that the block was dropped, changes the id when a
   * replaced block returns.
   */
  const idOf = (activity: Activity, { webhookId }: Listener, { transfer }: Seen, drops: number, kind: string) => {
    const { walletId, block } = activity;
    const parts = [webhookId, walletId, transfer.transaction, transfer.index, block.hash, String(drops), kind];
    return deliveryIdFor(system, contextOf(variant, activity), parts);
  };

  /** Returns the notification that was requested under a delivery id; undefined if none was requested. */
  const requested = async (activity: Activity, deliveryId: string) =>
    (await events.read(deliveryStream(contextOf(variant, activity), deliveryId))).events[0]?.data as
      | { readonly data: { readonly state: string } }
      | undefined;

  /**
   * Returns the retractions of the transfer's notifications to the webhook. The block was dropped `drops` times, and
   * the webhook may have been notified once before each drop.
   */
  const toRetract = async (activity: Activity, listener: Listener, seen: Seen, drops: number) => {
    const found: TransferNotification[] = [];
    for (let time = 0; time < drops; time++)
      if (await requested(activity, idOf(activity, listener, seen, time, 'seen')))
        found.push({ seen, state: 'REMOVED', deliveryId: idOf(activity, listener, seen, time, 'removed') });
    return found;
  };

  /** Returns the notification that a transfer is confirmed, if the webhook was notified of the transfer as pending. */
  const toFinalize = async (activity: Activity, listener: Listener, seen: Seen, drops: number) => {
    const known = await requested(activity, idOf(activity, listener, seen, drops, 'seen'));
    if (known?.data.state !== stateOf('PENDING')) return [];
    return [{ seen, state: settledState(seen), deliveryId: idOf(activity, listener, seen, drops, 'final') }];
  };
  return { idOf, toRetract, toFinalize };
};

/**
 * Creates functions that request the second notification of a transfer, which reports that the transfer is confirmed,
 * for webhooks that want a second notification and were notified of the transfer as pending.
 */
const createFinalizer = (ports: Ports, variant: Variant, ledgerOf: LedgerCache) => {
  const requestDeliveries = createDeliveryRequest(ports, variant, ledgerOf);
  const { toFinalize } = createDeliveryIds(ports, variant);
  const progress = createProgress();
  return {
    forget: progress.forget,
    /** Requests one piece of deliveries; returns false once no delivery is left. */
    piece: async (activity: Activity, ledger: Ledger, due: readonly Listener[], depth: number) => {
      const { transfers, drops, notified: before } = ledger;
      const wanted = due.filter(({ final }) => final);
      if (wanted.length === 0) return false;
      return progress.during(activity, transfers.length, (begun) =>
        runPiece(wanted, transfers.slice(before), begun, async (listener, some) => {
          const found = await allSettledOrThrow(some.map((seen) => toFinalize(activity, listener, seen, drops)));
          return requestDeliveries(activity, listener, found.flat(), depth);
        }),
      );
    },
  };
};

/**
 * Creates functions that retract the notifications of a dropped block by requesting further notifications.
 */
const createRetraction = (ports: Ports, variant: Variant, ledgerOf: LedgerCache) => {
  const requestDeliveries = createDeliveryRequest(ports, variant, ledgerOf);
  const { toRetract } = createDeliveryIds(ports, variant);
  const progress = createProgress();
  /** Requests one piece of deliveries; returns whether any delivery is left. */
  const piece = async (activity: Activity, { transfers, drops }: Ledger) => {
    const isMore = await progress.during(activity, transfers.length, (begun) =>
      runPiece(ports.watched.listeners(activity), transfers, begun, async (listener, some) => {
        const found = await allSettledOrThrow(some.map((seen) => toRetract(activity, listener, seen, drops)));
        return requestDeliveries(activity, listener, found.flat(), 0);
      }),
    );
    if (!isMore) progress.forget(activity);
    return isMore;
  };
  return {
    piece,
    /**
     * Retracts the notifications if the block was dropped while the notifications were requested, and returns whether
     * the block was dropped. Another process that dropped the block meanwhile may have searched for notifications to
     * retract before these notifications were requested.
     */
    ifDropped: async (activity: Activity, before: Ledger) => {
      const now = await ports.ledgers.read(activity);
      if (now.drops === before.drops) return false;
      while (await piece(activity, now));
      return true;
    },
  };
};

export const createNotifier = (ports: Ports, variant: Variant): Notifier => {
  const { watched } = ports;
  const ledgerOf = createLedgerCache(ports.ledgers);
  const requestDeliveries = createDeliveryRequest(ports, variant, ledgerOf);
  const { idOf } = createDeliveryIds(ports, variant);
  const finalizer = createFinalizer(ports, variant, ledgerOf);
  const retraction = createRetraction(ports, variant, ledgerOf);
  const notified = createProgress();

  const forget = (activity: Activity) => {
    for (const progress of [notified, finalizer]) progress.forget(activity);
  };
  /** Requests one piece of deliveries from a ledger that is still in the phase of the activity. */
  const notifyPiece = async (
    activity: Activity,
    ledger: Ledger,
    due: readonly Listener[],
    depth: number,
    isConfirmed: boolean,
  ): Promise<NotifyResult['left']> => {
    const { transfers, drops, notified: before } = ledger;
    const notificationOf =
      (listener: Listener) =>
      (seen: Seen): TransferNotification => {
        const deliveryId = idOf(activity, listener, seen, drops, 'seen');
        return { seen, state: isConfirmed ? settledState(seen) : 'PENDING', deliveryId };
      };
    const isMore = await notified.during(activity, transfers.length, (progress) =>
      runPiece(due, transfers.slice(before), progress, (listener, some) =>
        requestDeliveries(activity, listener, some.map(notificationOf(listener)), depth),
      ),
    );
    if (await retraction.ifDropped(activity, ledger)) return 'outdated';
    if (isMore || (isConfirmed && (await finalizer.piece(activity, ledger, due, depth)))) return 'more';
    return 'nothing';
  };

  return {
    hasListeners: (activity) => watched.webhookConfirmations(activity).length > 0,
    notify: async (activity, depth, isConfirmed) => {
      const listeners = watched.listeners(activity);
      const due = listeners.filter((one) => isDeep(variant, one, depth));
      if (due.length === 0 && listeners.length > 0) return { left: 'later', count: 0, isNotified: false };
      const ledger = await ledgerOf(activity);
      const left = isCurrent(ledger, isConfirmed)
        ? await notifyPiece(activity, ledger, due, depth, isConfirmed)
        : 'outdated';
      const result = { left, count: ledger.transfers.length, isNotified: notified.isNotified(activity) };
      if (left === 'nothing' && due.length < listeners.length) return { ...result, left: 'later' };
      if (left === 'outdated' || (left === 'nothing' && isConfirmed)) forget(activity);
      return result;
    },
    retract: async (activity) => {
      forget(activity);
      return !(await retraction.piece(activity, await ledgerOf(activity)));
    },
  };
};
