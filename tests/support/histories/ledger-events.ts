import type { Transfer } from '../../../domain/aggregates/ledger/ledger-data.js';
import type { LedgerEvent } from '../../../domain/aggregates/ledger.js';
import type { Asset } from '../../../domain/asset.js';
import { emits, nothing, refused } from './matrix.js';

/** Events of one wallet in one block, for the tests of the ledger. */

export const native: Asset = { standard: 'native' };
export const coin: Asset = { standard: 'erc20', contract: '0xcc' };

export const inBlock = { walletId: 'wal_1', block: { number: 7, hash: '0xb7', time: 1_700_000_000, chain: '0xb0' } };
export const at = { number: 9, hash: '0xb9', chain: '0xb0' };
export const paid: Transfer = {
  transaction: '0xt1',
  index: '0',
  asset: native,
  from: '0xaa',
  to: '0xbb',
  value: '5',
  fee: '1',
  failed: false,
  details: { nonce: '3' },
};
const reverted: Transfer = { ...paid, transaction: '0xt2', asset: coin, failed: true };
export const transfers = [
  { transfer: paid, own: ['0xaa', '0xbb'] },
  { transfer: reverted, own: ['0xaa'] },
];
export const touches = [{ address: '0xdd', reason: 'withdrawal' }];
export const balances = [
  { address: '0xaa', asset: native, balance: '94' },
  { address: '0xbb', asset: native, balance: '5' },
];

export const observed: LedgerEvent[] = [
  ...transfers.map((one) => ({ type: 'TransferObserved' as const, data: { ...inBlock, ...one } })),
  ...touches.map((one) => ({ type: 'BalanceTouched' as const, data: { ...inBlock, ...one, asset: native } })),
];
export const imported: LedgerEvent[] = [
  ...transfers.map((one) => ({
    type: 'TransferObserved' as const,
    data: { ...inBlock, ...one, imported: true as const },
  })),
  ...touches.map((one) => ({
    type: 'BalanceTouched' as const,
    data: { ...inBlock, ...one, asset: native, imported: true as const },
  })),
];
const changed = (type: 'TransferConfirmed' | 'TransferRemoved'): LedgerEvent[] => [
  { type, data: { ...inBlock, transaction: '0xt1', index: '0', failed: false } },
  { type, data: { ...inBlock, transaction: '0xt2', index: '0', failed: true } },
];
const readings = (correction?: true): LedgerEvent[] =>
  balances.map((one) => ({
    type: 'BalanceRead',
    data: { walletId: 'wal_1', ...one, at, ...(correction && { correction }) },
  }));
export const [read, reread] = [readings(), readings(true)];
export const confirmed = changed('TransferConfirmed');
export const activitySettled: LedgerEvent = { type: 'ActivitySettled', data: inBlock };
export const activitySettledOpen: LedgerEvent = { type: 'ActivitySettled', data: { ...inBlock, open: true } };
export const unread: LedgerEvent = { type: 'ActivitySettled', data: { ...inBlock, unread: true } };
export const openlyUnread: LedgerEvent = { type: 'ActivitySettled', data: { ...inBlock, open: true, unread: true } };
export const missing = [{ address: '0xbb', asset: coin, reason: 'no answer' }];
export const setAside: LedgerEvent[] = missing.map((one) => ({
  type: 'BalanceSetAside',
  data: { ...inBlock, ...one },
}));
export const closed: LedgerEvent = { type: 'ActivityClosed', data: inBlock };
export const closedForFeed: LedgerEvent = { type: 'ActivityClosed', data: { ...inBlock, feedOnly: true } };
export const dropped = (due: boolean): LedgerEvent[] => [
  ...changed('TransferRemoved'),
  { type: 'ActivityDropped', data: { ...inBlock, due } },
];
export const settled = [...confirmed, ...read, activitySettled];
export const settledOpen = [...confirmed, ...read, activitySettledOpen];
export const corrected = [...reread, activitySettled];
/** Events of a settled block that was then replaced and whose balances are not corrected yet. */
export const due = [...observed, ...settled, ...dropped(true)];

export const unsettledBlock = refused('CONFLICT', 'Block 7 of the wallet is not settled yet.');

/**
 * Row of the matrix for the command `Import`. In most states, the transfers of the command have already been observed;
 * the command emits events only in states in which they have not.
 */
export const importRow = {
  asks: 'Import',
  command: { type: 'Import' as const, data: { ...inBlock, transfers, touches } },
  when: {
    unknown: emits(...imported),
    dropped: emits(...imported),
    corrected: emits(...imported),
    due: unsettledBlock,
    'due because a webhook may have reported it': unsettledBlock,
    'due again': unsettledBlock,
    'due before it was read': unsettledBlock,
    otherwise: nothing,
  },
};
