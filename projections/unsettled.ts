import type { LedgerEvent } from '../domain/aggregates/ledger.js';
import { ownScope, type Projection } from './define.js';

/**
 * Wallet and block with work left for the follower: to confirm transfers (pending), to notify webhooks (open), to read
 * balances (settled) or to correct balances and notifications after a reorg (due).
 */
export type UnsettledDocument = {
  wallet_id: string;
  block: { number: number; hash: string; time: number; chain: string };
  /** `settled`: the block is confirmed and all webhooks were notified, but balances are still to be read. */
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

/** Unfinished work of the follower, stored so that the follower need not read all past events after a restart. */
export const unsettled: Projection<ActivityEvent, UnsettledDocument> = {
  name: 'unsettled',
  version: 2,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => `${data.walletId}|${data.block.hash}`,
  on: {
    // Imported activity is ignored, because it is already confirmed.
    TransferObserved: (doc, data) => (data.imported ? doc : unsettledIn(data, 'pending')),
    BalanceTouched: (doc, data) => (data.imported ? doc : unsettledIn(data, 'pending')),
    ActivitySettled: (_, data) => leftOf(data),
    ActivityClosed: (doc) => (doc?.unread ? { ...doc, phase: 'settled' } : null),
    ActivityDropped: (_, data) => (data.due ? unsettledIn(data, 'due') : null),
  },
};
