import type { Ledger } from '../../domain/ledger.js';
import type { Variant } from '../../domain/variant.js';
import type { TransferState } from '../../projections/transfers.js';
import type { Descriptions } from '../assets/token-descriptions.js';
import { showTransfer, stateOf } from '../assets/wire-records.js';
import { mapInSlices } from '../async/slices.js';
import type { Context } from '../commands/handle.js';
import type { EventStore } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import { type Activity, holderKey } from '../watch-list/activities.js';
import type { WatchList } from '../watch-list/watch-list.js';
import type { Listener } from '../watch-list/webhook-listeners.js';
import { type Deliveries, deliveryIdFor, deliveryStream } from '../webhooks/deliveries.js';
import type { Ledgers } from './ledger-writer.js';

/** Has those who asked for it told of what blocks did to wallets. */
export type Notices = {
  /** Asks for every notice whose depth is reached, each once; false while some are waiting for a greater depth. */
  tell(activity: Activity, depth: number, isConfirmed: boolean): Promise<boolean>;
  /** Those who were told of what is no longer there are told so. */
  takeBack(activity: Activity): Promise<void>;
  hasListeners(activity: Activity): boolean;
};

type Seen = Ledger['transfers'][number];
type Told = { readonly seen: Seen; readonly state: TransferState; readonly deliveryId: string };
type Ports = {
  readonly events: EventStore;
  readonly ledgers: Ledgers;
  readonly watched: WatchList;
  readonly deliveries: Deliveries;
  readonly descriptions: Descriptions;
  readonly system: System;
};
const atOnce = 32;

const activityKey = (activity: Activity) => `${activity.block.hash} ${holderKey(activity)}`;
const isDeep = ({ confirmation }: Listener, depth: number) => Math.max(1, confirmation) <= depth;

const contextOf = (variant: Variant, { organizationId, block }: Activity): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'follower' },
  requestId: `block ${block.hash}`,
  repeatable: true,
});

/** What goes into the notices, and the asking for them. */
const createAsk =
  ({ deliveries, descriptions }: Ports, variant: Variant) =>
  async (activity: Activity, listener: Listener, notices: readonly Told[], depth: number) => {
    const context = contextOf(variant, activity);
    const describe = await descriptions(
      context,
      notices.map(({ seen }) => seen.transfer.asset),
    );
    const one = ({ seen: { transfer, own }, state, deliveryId }: Told) => {
      const { number, time } = activity.block;
      const record = showTransfer(variant, { transfer, state, block_number: number, block_time: time }, describe);
      const data = {
        wallet_id: activity.walletId,
        address: own.includes(transfer.to) ? transfer.to : own[0],
        confirmations: depth,
        state: stateOf(state),
        transfer: record,
      };
      return deliveries.request(context, { deliveryId, webhookId: listener.webhookId, data });
    };
    await mapInSlices(notices, atOnce, one);
  };

export const createNotices = (ports: Ports, variant: Variant): Notices => {
  const { events, ledgers, watched, system } = ports;
  const ask = createAsk(ports, variant);
  /** Asking again does no harm; remembering whom was told only spares it. */
  const told = new Map<string, Set<string>>();

  /** A block that comes back after it was replaced is news again. */
  const idOf = (activity: Activity, { webhookId }: Listener, { transfer }: Seen, drops: number, kind: string) => {
    const { walletId, block } = activity;
    const parts = [webhookId, walletId, transfer.transaction, transfer.index, block.hash, String(drops), kind];
    return deliveryIdFor(system, contextOf(variant, activity), parts);
  };

  const wasTold = async (activity: Activity, deliveryId: string) =>
    (await events.read(deliveryStream(contextOf(variant, activity), deliveryId))).events.length > 0;

  /** Each time it was told and then dropped, of which the ledger has counted the last by now. */
  const falseNotices = async (activity: Activity, listener: Listener, seen: Seen, drops: number) => {
    const found: Told[] = [];
    for (let time = 0; time < drops; time++)
      if (await wasTold(activity, idOf(activity, listener, seen, time, 'seen')))
        found.push({ seen, state: 'REMOVED', deliveryId: idOf(activity, listener, seen, time, 'removed') });
    return found;
  };

  return {
    hasListeners: (activity) => watched.listeners(activity).length > 0,
    tell: async (activity, depth, isConfirmed) => {
      const key = activityKey(activity);
      const known = told.get(key) ?? new Set<string>();
      const listeners = watched.listeners(activity);
      const due = listeners.filter((one) => isDeep(one, depth) && !known.has(one.webhookId));
      if (due.length > 0) {
        const { transfers, drops } = await ledgers.read(activity);
        for (const listener of due) {
          const notices = transfers.map((seen): Told => {
            const settled = seen.transfer.failed ? 'FAILED' : 'SUCCESS';
            const deliveryId = idOf(activity, listener, seen, drops, 'seen');
            return { seen, state: isConfirmed ? settled : 'PENDING', deliveryId };
          });
          await ask(activity, listener, notices, depth);
          told.set(key, known.add(listener.webhookId));
        }
      }
      const isDone = listeners.every((one) => isDeep(one, depth));
      if (isDone && isConfirmed) told.delete(key);
      return isDone;
    },
    takeBack: async (activity) => {
      told.delete(activityKey(activity));
      const { transfers, drops } = await ledgers.read(activity);
      for (const listener of watched.listeners(activity)) {
        const notices: Told[] = [];
        for (const seen of transfers) notices.push(...(await falseNotices(activity, listener, seen, drops)));
        await ask(activity, listener, notices, 0);
      }
    },
  };
};
