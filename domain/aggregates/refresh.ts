import type { Asset } from '../asset.js';
import type { Decider } from '../decider.js';
import type { Balance } from './ledger.js';

/** Block at which balances were read. */
type Height = { readonly number: number; readonly hash: string; readonly chain: string };
/** Last address whose balances were read, in the order of the wallet's address list. */
export type RefreshCursor = { readonly position: number; readonly address: string };

/** Refresh of the balances of one wallet in one asset standard. */
type Of<T> = { readonly refreshId: string; readonly walletId: string; readonly standard: Asset['standard'] } & T;
/** `correction` is true if readings replace earlier ones that were made at a greater height of a replaced branch. */
type Started = Of<
  { total: number; done: number; at: Height; after: RefreshCursor | null; correction?: true } & Searching
>;
/** `searched` is the last block whose logs were searched for the addresses after `after`. */
type Advanced = Of<{ part: number; done: number; at: Height; after: RefreshCursor | null; searched?: number }>;
/** `from` is the first block whose logs are searched for tokens that the addresses received. */
type Searching = { readonly from?: number };
type Refreshed = Balance & { readonly walletId: string; readonly at: Height; readonly correction?: true };

export type RefreshEvent =
  | { type: 'RefreshStarted'; data: Started }
  /** The balances of every address of the wallet were read. */
  | { type: 'RefreshEnded'; data: Of<Searching> };
type RefreshCommand =
  | { type: 'Start'; data: Started }
  /** Starts over, because a reorg replaced the block at which balances were read. */
  | { type: 'Restart'; data: Started & { readonly replaces: string } }
  | { type: 'End'; data: Of<Searching> };
type Refresh = { readonly running: string | null } & Searching;

/** One stream per wallet and asset standard, so that a second refresh joins the running one. */
export const refresh: Decider<RefreshCommand, RefreshEvent, Refresh> = {
  stream: 'refresh',
  initial: { running: null },
  decide: {
    Start: ({ running }, data) => (running === null ? [{ type: 'RefreshStarted', data }] : []),
    Restart: ({ running }, { replaces, ...data }) => (running === replaces ? [{ type: 'RefreshStarted', data }] : []),
    End: ({ running }, data) => (running === data.refreshId ? [{ type: 'RefreshEnded', data }] : []),
  },
  evolve: {
    RefreshStarted: (_, { refreshId, from }) => ({ running: refreshId, ...(from !== undefined && { from }) }),
    RefreshEnded: () => ({ running: null }),
  },
};

export type RefreshPartEvent =
  | { type: 'BalanceRefreshed'; data: Refreshed }
  | { type: 'RefreshAdvanced'; data: Advanced };
type RefreshPartCommand = {
  type: 'Record';
  data: { readonly balances: readonly Refreshed[]; readonly advanced?: Advanced };
};
type RefreshPart = { readonly isRecorded: boolean };

/** One stream per part of a refresh, so that no stream grows with the number of addresses. */
export const refreshPart: Decider<RefreshPartCommand, RefreshPartEvent, RefreshPart> = {
  stream: 'refreshpart',
  initial: { isRecorded: false },
  decide: {
    Record: ({ isRecorded }, { balances, advanced }) =>
      isRecorded
        ? []
        : [
            ...balances.map((data) => ({ type: 'BalanceRefreshed' as const, data })),
            ...(advanced ? [{ type: 'RefreshAdvanced' as const, data: advanced }] : []),
          ],
  },
  evolve: {
    BalanceRefreshed: () => ({ isRecorded: true }),
    RefreshAdvanced: () => ({ isRecorded: true }),
  },
};
