import type { EventStore } from '../../../application/ports/event-store.js';
import { allEvents } from './following.js';

type Notice = {
  readonly data: {
    readonly wallet_id: string;
    readonly state: string;
    readonly transfer: { readonly transaction_hash: string };
  };
};

/** Counts by transaction the requested notices of a wallet's transfers, less those that report a removal. */
export const standingNotices = async (events: EventStore, walletId: string): Promise<Map<string, number>> => {
  const counts = new Map<string, number>();
  for (const { type, data } of await allEvents(events)) {
    if (type !== 'DeliveryRequested') continue;
    const { wallet_id, state, transfer } = (data as Notice).data;
    if (wallet_id !== walletId) continue;
    const change = state === 'TRANSFER_STATE_REMOVED' ? -1 : 1;
    counts.set(transfer.transaction_hash, (counts.get(transfer.transaction_hash) ?? 0) + change);
  }
  return counts;
};
