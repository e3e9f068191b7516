import type { Ledger } from '../../domain/aggregates/ledger.js';
import { thresholdOf, type Variant } from '../../domain/variant.js';
import type { TransferState } from '../../projections/transfers.js';
import { webhooks } from '../../projections/webhooks.js';
import type { Descriptions } from '../assets/token-descriptions.js';
import { showTransfer, stateOf } from '../assets/wire-records.js';
import { allDone } from '../async/organization-queue.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { type Activity, holderKey } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import type { Listener } from '../watch-list/webhook-listeners.js';
import { type Deliveries, deliveryIdFor, deliveryStream } from '../webhooks/deliveries.js';
import type { LedgerWriter } from './ledger-writer.js';

/** Notifies webhooks of what blocks did to wallets, in bounded pieces. */
export type Notifier = {
  /**
   * Requests deliveries whose depth is reached, each once. What is left: `more` for another piece, `later` those of
   * greater depth. `count`: transfers that the activity's ledger had.
   */
  tell(activity: Activity, depth: number, isConfirmed: boolean): Promise<Telling>;
  /** Notifies webhooks that transfers of which they were notified have been removed; false when some are left. */
  takeBack(activity: Activity): Promise<boolean>;
  hasListeners(activity: Activity): boolean;
};

type Telling = { readonly left: 'more' | 'later' | 'nothing'; readonly count: number };
type Seen = Ledger['transfers'][number];
type TransferNotice = { readonly seen: Seen; readonly state: TransferState; readonly deliveryId: string };
type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly ledgers: LedgerWriter;
  readonly watched: WatchList;
  readonly deliveries: Deliveries;
  readonly descriptions: Descriptions;
  readonly system: System;
};
/** Deliveries of one activity that are requested in one piece. */
const atOnce = 32;

const activityKey = (activity: Activity) => `${activity.block.hash} ${holderKey(activity)}`;
const isDeep = (variant: Variant, { confirmation }: Listener, depth: number) =>
  thresholdOf(variant, confirmation) <= depth;

const contextOf = (variant: Variant, { organizationId, block }: Activity): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'follower' },
  requestId: `block ${block.hash}`,
  repeatable: true,
});

/** Builds the content of notices to one webhook, and requests their deliveries; the webhook is read once for all. */
const createAsk =
  ({ readModels, deliveries, descriptions }: Ports, variant: Variant) =>
  async (activity: Activity, { webhookId }: Listener, notices: readonly TransferNotice[], depth: number) => {
    const context = contextOf(variant, activity);
    const found = await readModels.get(webhooks, { scope: scopeFor(context), id: webhookId });
    const describe = await descriptions(
      context,
      notices.map(({ seen }) => seen.transfer.asset),
    );
    const noticeOf = ({ seen: { transfer, own }, state, deliveryId }: TransferNotice) => {
      const { number, time } = activity.block;
      const record = showTransfer(variant, { transfer, state, block_number: number, block_time: time }, describe);
      const data = {
        wallet_id: activity.walletId,
        address: own.includes(transfer.to) ? transfer.to : own[0],
        confirmations: depth,
        state: stateOf(state),
        transfer: record,
      };
      return { deliveryId, data };
    };
    // A webhook that the read models do not have yet was registered a moment ago, and is not disabled.
    const to = found ?? { webhook_id: webhookId, disabled: false };
    await deliveries.request(context, to, notices.map(noticeOf));
  };

/** Parts of the work on one activity with `count` transfers that are done: whole webhooks, and transfers of the next. */
type Progress = { readonly count: number; readonly webhooks: Set<string>; transfers: number };

/** Does one piece for the webhooks in question and returns whether something is left for them. */
const doPiece = async (
  listeners: readonly Listener[],
  transfers: readonly Seen[],
  progress: Progress,
  one: (listener: Listener, some: readonly Seen[]) => Promise<void>,
) => {
  let left = atOnce;
  const doing: Promise<void>[] = [];
  for (const listener of listeners) {
    if (progress.webhooks.has(listener.webhookId)) continue;
    if (left <= 0) break;
    const some = transfers.slice(progress.transfers, progress.transfers + left);
    doing.push(one(listener, some));
    left -= Math.max(1, some.length);
    progress.transfers += some.length;
    if (progress.transfers < transfers.length) break;
    progress.webhooks.add(listener.webhookId);
    progress.transfers = 0;
  }
  await allDone(doing);
  return listeners.some(({ webhookId }) => !progress.webhooks.has(webhookId));
};

/** Keeps the progress by activity; this only saves work, since requesting a delivery twice does no harm. */
const createProgress = () => {
  const kept = new Map<string, Progress>();
  /** Begins anew for an activity that got more transfers, of which no webhook was notified. */
  const of = (activity: Activity, count: number) => {
    const key = activityKey(activity);
    const known = kept.get(key);
    if (known?.count === count) return known;
    const begun: Progress = { count, webhooks: new Set(), transfers: 0 };
    kept.set(key, begun);
    return begun;
  };
  const forget = (activity: Activity) => kept.delete(activityKey(activity));
  return {
    of,
    forget,
    /** Forgets the progress when the piece fails, because it is not known which deliveries were requested. */
    during: (activity: Activity, count: number, piece: (progress: Progress) => Promise<boolean>) =>
      piece(of(activity, count)).catch((error: unknown) => {
        forget(activity);
        throw error;
      }),
  };
};

/** Reads ledgers of activities that take several pieces once; an event about one makes it another activity object. */
const createLedgerCache = (ledgers: LedgerWriter) => {
  const read = new WeakMap<Activity, Promise<Ledger>>();
  return (activity: Activity) => {
    const found = read.get(activity) ?? ledgers.read(activity);
    read.set(activity, found);
    // A failure is not kept, so that the next try reads the ledger again.
    found.catch(() => read.delete(activity));
    return found;
  };
};

/** Derives ids of deliveries and finds the notices that turned out to be false. */
const createNaming = ({ events, system }: Ports, variant: Variant) => {
  /** Derives the id of a delivery; `drops` makes it a new one when a replaced block comes back. */
  const idOf = (activity: Activity, { webhookId }: Listener, { transfer }: Seen, drops: number, kind: string) => {
    const { walletId, block } = activity;
    const parts = [webhookId, walletId, transfer.transaction, transfer.index, block.hash, String(drops), kind];
    return deliveryIdFor(system, contextOf(variant, activity), parts);
  };

  const wasTold = async (activity: Activity, deliveryId: string) =>
    (await events.read(deliveryStream(contextOf(variant, activity), deliveryId))).events.length > 0;

  /** Finds the notices sent before each drop of the block; the ledger has already counted the last drop. */
  const falseNotices = async (activity: Activity, listener: Listener, seen: Seen, drops: number) => {
    const found: TransferNotice[] = [];
    for (let time = 0; time < drops; time++)
      if (await wasTold(activity, idOf(activity, listener, seen, time, 'seen')))
        found.push({ seen, state: 'REMOVED', deliveryId: idOf(activity, listener, seen, time, 'removed') });
    return found;
  };
  return { idOf, falseNotices };
};

export const createNotifier = (ports: Ports, variant: Variant): Notifier => {
  const { ledgers, watched } = ports;
  const ask = createAsk(ports, variant);
  const { idOf, falseNotices } = createNaming(ports, variant);
  const ledgerOf = createLedgerCache(ledgers);
  const [told, takenBack] = [createProgress(), createProgress()];

  const tellPiece = (
    activity: Activity,
    ledger: Ledger,
    due: readonly Listener[],
    depth: number,
    isConfirmed: boolean,
  ) => {
    const { transfers, drops, told: before } = ledger;
    const noticeOf =
      (listener: Listener) =>
      (seen: Seen): TransferNotice => {
        const settled = seen.transfer.failed ? 'FAILED' : 'SUCCESS';
        const deliveryId = idOf(activity, listener, seen, drops, 'seen');
        return { seen, state: isConfirmed ? settled : 'PENDING', deliveryId };
      };
    return told.during(activity, transfers.length, (progress) =>
      doPiece(due, transfers.slice(before), progress, (listener, some) =>
        ask(activity, listener, some.map(noticeOf(listener)), depth),
      ),
    );
  };

  return {
    hasListeners: (activity) => watched.listeners(activity).length > 0,
    tell: async (activity, depth, isConfirmed) => {
      const listeners = watched.listeners(activity);
      const due = listeners.filter((one) => isDeep(variant, one, depth));
      if (due.length === 0 && listeners.length > 0) return { left: 'later', count: 0 };
      const ledger = await ledgerOf(activity);
      const { length: count } = ledger.transfers;
      const { webhooks } = told.of(activity, count);
      const isLeft = due.some(({ webhookId }) => !webhooks.has(webhookId));
      if (isLeft && (await tellPiece(activity, ledger, due, depth, isConfirmed))) return { left: 'more', count };
      if (due.length < listeners.length) return { left: 'later', count };
      if (isConfirmed) told.forget(activity);
      return { left: 'nothing', count };
    },
    takeBack: async (activity) => {
      told.forget(activity);
      const { transfers, drops } = await ledgerOf(activity);
      const isMore = await takenBack.during(activity, transfers.length, (progress) =>
        doPiece(watched.listeners(activity), transfers, progress, async (listener, some) => {
          const found = await allDone(some.map((seen) => falseNotices(activity, listener, seen, drops)));
          await ask(activity, listener, found.flat(), 0);
        }),
      );
      if (!isMore) takenBack.forget(activity);
      return !isMore;
    },
  };
};
