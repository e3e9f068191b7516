import type { DeliveryEvent, NotificationEvent } from '../../domain/aggregates/delivery.js';
import type { Activity } from '../../domain/aggregates/ledger/ledger-data.js';
import { thresholdOf } from '../../domain/variant.js';
import { wallets } from '../../projections/wallets.js';
import type { Descriptions } from '../assets/token-descriptions.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Recorded, Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import { bodyOf, type NotificationBody } from '../webhooks/notification-body.js';
import { derivedId } from './cursor.js';
import { isMarker, type LedgerNotice, noticesAt } from './ledger-notices.js';
import { transferData } from './transfer-data.js';

type Ports = {
  readonly events: Pick<Streams, 'read'>;
  readonly readModels: ReadModels;
  readonly descriptions: Descriptions;
};
/**
 * Notification types and wallet to which a list of notifications is restricted. An absent member does not restrict the
 * list.
 */
export type Filter = {
  readonly types?: readonly string[] | undefined;
  readonly walletId?: string | undefined;
};

type StoredNotification = NotificationEvent | Extract<DeliveryEvent, { type: 'DeliveryRequested' }>;
const storing: ReadonlySet<string> = new Set<StoredNotification['type']>(['DeliveryRequested', 'NotificationRecorded']);
const deriving: readonly string[] = ['ActivitySettled', 'ActivityClosed', 'ActivityDropped'];
/** Types of the events that contain notifications, or from which notifications are derived. */
export const notifyingTypes: ReadonlySet<string> = new Set([...storing, ...deriving]);

/** Returns the type and the wallet of an event's notifications; null for an event without notifications. */
const eventContextOf = ({ variant }: Context, { type, data, metadata }: Recorded) => {
  if (metadata.variant !== variant.tag || !notifyingTypes.has(type)) return null;
  if (storing.has(type)) {
    const { notificationType, data: content } = data as StoredNotification['data'];
    return { type: notificationType, walletId: (content as { wallet_id?: string }).wallet_id };
  }
  return isMarker({ type, data }) ? { type: variant.notificationType, walletId: (data as Activity).walletId } : null;
};

/**
 * Creates functions that select events with notifications and read the notifications of an event: notifications that
 * the event stores, or notifications that are derived from a ledger.
 */
export const createEventNotifications = ({ events, readModels, descriptions }: Ports) => {
  /** Returns the number of confirmations from which a transfer of the wallet counts as confirmed. */
  const confirmationsOf = async (context: Context, walletId: string) => {
    const wallet = await readModels.get(wallets, { scope: scopeFor(context), id: walletId });
    return thresholdOf(context.variant, wallet?.confirmation ?? context.variant.depth);
  };
  const derived = async (context: Context, event: Recorded): Promise<readonly NotificationBody[]> => {
    const past = (await events.read(event.stream)).events;
    context.touch?.(past.length);
    const notices = noticesAt(past, event.id);
    if (notices.length === 0) return [];
    const activity = event.data as Activity;
    const confirmed = await confirmationsOf(context, activity.walletId);
    const describe = await descriptions(
      context,
      notices.map(({ seen }) => seen.transfer.asset),
    );
    const notification = ({ seen, state }: LedgerNotice, index: number) => {
      const confirmations = state === 'REMOVED' ? 0 : confirmed;
      const data = transferData(context.variant, activity, { seen, state, confirmations }, describe);
      const { notificationType } = context.variant;
      return bodyOf({ deliveryId: derivedId(context, event, index), notificationType, data }, event.metadata);
    };
    return notices.map(notification);
  };

  return {
    isWanted: (context: Context, event: Recorded, { types, walletId }: Filter) => {
      const about = eventContextOf(context, event);
      if (!about || (types && !types.includes(about.type))) return false;
      return walletId === undefined || about.walletId === walletId;
    },
    read: async (context: Context, event: Recorded): Promise<readonly NotificationBody[]> =>
      storing.has(event.type)
        ? [bodyOf(event.data as StoredNotification['data'], event.metadata)]
        : derived(context, event),
  };
};
