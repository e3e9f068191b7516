import type { LedgerEvent } from '../domain/ledger.js';
import { ownScope, type Projection } from './define.js';

/** What one block did to one wallet and is not confirmed, not told to everybody or, where it was dropped, not corrected. */
export type UnsettledDocument = {
  wallet_id: string;
  block: { number: number; hash: string; time: number; chain: string };
  phase: 'pending' | 'open' | 'due';
};

type ActivityEvent = Extract<LedgerEvent, { type: 'TransferObserved' | 'BalanceTouched' | `Activity${string}` }>;
type Data = { walletId: string; block: UnsettledDocument['block'] };

const unsettledIn = ({ walletId, block }: Data, phase: UnsettledDocument['phase']): UnsettledDocument => ({
  wallet_id: walletId,
  block,
  phase,
});

/** Lets a follower that starts find what it has to come back to without reading all of history. */
export const unsettled: Projection<ActivityEvent, UnsettledDocument> = {
  name: 'unsettled',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => `${data.walletId}|${data.block.hash}`,
  on: {
    TransferObserved: (_, data) => unsettledIn(data, 'pending'),
    BalanceTouched: (_, data) => unsettledIn(data, 'pending'),
    ActivitySettled: (_, data) => (data.open ? unsettledIn(data, 'open') : null),
    ActivityClosed: () => null,
    ActivityDropped: (_, data) => (data.due ? unsettledIn(data, 'due') : null),
  },
};
