import type { EventStore } from '../../../application/ports/event-store.js';
import { allEvents } from './following.js';

type Notice = {
  readonly data: {
    readonly wallet_id: string;
    readonly state: string;
    readonly transfer: { readonly transaction_hash: string };
  };
};

type Counts = {
  /**
   * Number of standing notices, keyed by transaction hash. A pending notice and the final one that follows it count as
   * one notice, and a notice of a removal is subtracted.
   */
  readonly standing: ReadonlyMap<string, number>;
  /**
   * Number of pending notices, keyed by transaction hash, without those that were followed by a final notice or a
   * notice of a removal.
   */
  readonly pending: ReadonlyMap<string, number>;
};

/**
 * Counts the notices of a wallet's transfers for each transaction: the standing ones, which no later notice took back,
 * and the pending ones.
 */
export const standingNotices = async (events: EventStore, walletId: string): Promise<Counts> => {
  const standing = new Map<string, number>();
  const pending = new Map<string, number>();
  const count = ({ state, transfer: { transaction_hash: hash } }: Notice['data']) => {
    const open = pending.get(hash) ?? 0;
    const isRemoval = state === 'TRANSFER_STATE_REMOVED';
    const isPending = state === 'TRANSFER_STATE_PENDING';
    const isFinal = !isRemoval && !isPending && open > 0;
    pending.set(hash, isPending ? open + 1 : Math.max(0, open - 1));
    if (!isFinal) standing.set(hash, (standing.get(hash) ?? 0) + (isRemoval ? -1 : 1));
  };
  const requested = (await allEvents(events)).filter(({ type }) => type === 'DeliveryRequested');
  for (const { data } of requested.map((event) => event.data as Notice)) if (data.wallet_id === walletId) count(data);
  return { standing, pending };
};
