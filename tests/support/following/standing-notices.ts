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
  /** Requested notices by transaction, less those that report a removal. A pending one and its final one count once. */
  readonly standing: ReadonlyMap<string, number>;
  /** Notices by transaction that report a pending transfer, and that neither a final notice nor a removal followed. */
  readonly pending: ReadonlyMap<string, number>;
};

/** Counts the requested notices of a wallet's transfers. */
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
