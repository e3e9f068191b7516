import type { Closed, Seen, Settled } from '../../domain/aggregates/ledger/ledger-data.js';
import { type Ledger, ledger } from '../../domain/aggregates/ledger.js';
import type { TransferState } from '../../projections/transfers.js';
import { foldStored } from '../commands/read-aggregate.js';
import type { NewEvent } from '../ports/event-store.js';
import { settledState } from './transfer-data.js';

/** Transfer that the feed reports although no webhook is notified of it. */
export type LedgerNotice = { readonly seen: Seen; readonly state: TransferState };

type Marker = Pick<NewEvent, 'type' | 'data'>;

/**
 * Returns true for an event that settles new transfers of a block of which no webhook was or will be notified.
 */
const isWithoutWebhook = ({ type, data }: Marker) =>
  (type === 'ActivitySettled' && !(data as Settled).open) || (type === 'ActivityClosed' && !!(data as Closed).feedOnly);

/** Returns true for an event of a ledger at which the feed may report transfers. */
export const isMarker = (event: Marker) =>
  isWithoutWebhook(event) || (event.type === 'ActivityDropped' && (event.data as { due: boolean }).due);

/**
 * Returns the transfers that an event confirms although no webhook is notified of them; an empty list if the activity
 * is `due`, because its block was dropped.
 */
const confirmedAt = (event: Marker, before: Ledger) =>
  isWithoutWebhook(event) && before.phase !== 'due' ? before.transfers.slice(before.notified) : [];

/**
 * Returns the transfers that the feed reports at one event of a ledger: the transfers confirmed without a webhook or,
 * when a reorg drops the block, the transfers that the feed reported since the last drop. The result never changes,
 * because it depends only on stored events.
 */
export const noticesAt = (past: readonly NewEvent[], eventId: string): readonly LedgerNotice[] => {
  let reported: readonly Seen[] = [];
  for (const [i, event] of past.entries()) {
    if (!isMarker(event)) continue;
    const isDropped = event.type === 'ActivityDropped';
    const confirmed = confirmedAt(event, foldStored(ledger, past.slice(0, i)));
    if (event.id === eventId)
      return isDropped
        ? reported.map((seen) => ({ seen, state: 'REMOVED' }))
        : confirmed.map((seen) => ({ seen, state: settledState(seen) }));
    reported = isDropped ? [] : [...reported, ...confirmed];
  }
  return [];
};
