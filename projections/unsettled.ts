import type { LedgerEvent } from '../domain/aggregates/ledger.js';
import { ownScope, type Projection } from './define.js';

/** Block and wallet with work left: confirming (pending), notifying (open) or correcting after a drop (due). */
export type UnsettledDocument = {
  wallet_id: string;
  block: { number: number; hash: string; time: number; chain: string };
  /** `settled`: confirmed, and webhooks were notified; only the balances are left to be read. */
  phase: 'pending' | 'open' | 'settled' | 'due';
  /** Present while the balances that a confirmed block may have changed are not read yet. */
  unread?: true;
};

type ActivityEvent = Extract<LedgerEvent, { type: 'TransferObserved' | 'BalanceTouched' | `Activity${string}` }>;
type Data = { walletId: string; block: UnsettledDocument['block'] };

const unsettledIn = ({ walletId, block }: Data, phase: UnsettledDocument['phase']): UnsettledDocument => ({
  wallet_id: walletId,
  block,
  phase,
});

type Settled = Extract<LedgerEvent, { type: 'ActivitySettled' }>['data'];
const leftOf = ({ open, unread, ...data }: Settled): UnsettledDocument | null => {
  if (!open && !unread) return null;
  return { ...unsettledIn(data, open ? 'open' : 'settled'), ...(unread && { unread }) };
};

/** Unfinished work of the follower, which finds it here after a restart without reading all of history. */
export const unsettled: Projection<ActivityEvent, UnsettledDocument> = {
  name: 'unsettled',
  version: 2,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => `${data.walletId}|${data.block.hash}`,
  on: {
    TransferObserved: (_, data) => unsettledIn(data, 'pending'),
    BalanceTouched: (_, data) => unsettledIn(data, 'pending'),
    ActivitySettled: (_, data) => leftOf(data),
    ActivityClosed: (doc) => (doc?.unread ? { ...doc, phase: 'settled' } : null),
    ActivityDropped: (_, data) => (data.due ? unsettledIn(data, 'due') : null),
  },
};
