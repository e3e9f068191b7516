import type { Asset } from '../asset.js';
import type { Decider } from '../decider.js';
import type { FollowedBlock } from './chain/block.js';
import type { Reading } from './ledger/ledger-data.js';
import type { OfWallet } from './wallet.js';

/** Cursor in the list of a wallet's addresses, which is ordered by registration. */
export type RefreshCursor = {
  /** Position of the event that registered the address. */
  readonly position: number;
  /** Address in its canonical stored form. */
  readonly address: string;
};

/** Refresh of the balances that one wallet has in assets of one standard. */
type OfRefresh = OfWallet & {
  /** Id of the refresh. */
  readonly refreshId: string;
  /** Asset standard whose balances are read. */
  readonly standard: Asset['standard'];
};
type Searching = {
  /** Height of the first block whose logs a request has searched for received tokens; absent without such a request. */
  readonly from?: number;
};
type FillingGap = {
  /**
   * Height of an unreadable block from which logs are searched too, without a request or before `from`; absent if
   * there is none. The search of these logs is left out if no node has them.
   */
  readonly gap?: number;
};
type Progress = OfRefresh & {
  /** Number of addresses for which balances were read so far. */
  readonly done: number;
  /** Block at which the balances are read. */
  readonly at: FollowedBlock;
  /** Last address for which balances were read, in the order of registration; null before the first address. */
  readonly after: RefreshCursor | null;
};
type Correcting = {
  /**
   * Present after a reorg: the readings then also replace earlier readings from a greater height, which may be on the
   * replaced branch.
   */
  readonly correction?: true;
};
type Started = Progress &
  Searching &
  FillingGap & {
    /** Number of addresses that the wallet had when the refresh began. */
    readonly total: number;
  } & Correcting;
type Advanced = Progress & {
  /** Number of the part, from 1. A part is a batch of addresses, or of blocks to search. */
  readonly part: number;
  /**
   * Height of the last block whose logs were searched for tokens of the addresses following `after`; absent if the part
   * finished its addresses, so that `after` advanced.
   */
  readonly searched?: number;
};
type Ended = OfRefresh & Searching;

export type RefreshEvent =
  | { type: 'RefreshStarted'; data: Started }
  /** The balances of every address of the wallet were read. */
  | { type: 'RefreshEnded'; data: Ended };
type RefreshCommand =
  | { type: 'Start'; data: Started }
  /**
   * Starts the refresh `replaces` again from the first address, because some of its balances may have been read at a
   * replaced or unreadable block.
   */
  | { type: 'Restart'; data: Started & { readonly replaces: string } }
  | { type: 'End'; data: Ended };
type Refresh = { readonly running: string | null } & Searching & FillingGap & Correcting;

/** One stream per wallet and asset standard, so that a second request joins the running refresh. */
export const refresh: Decider<RefreshCommand, RefreshEvent, Refresh> = {
  stream: 'refresh',
  initial: { running: null },
  decide: {
    Start: ({ running }, data) => (running === null ? [{ type: 'RefreshStarted', data }] : []),
    Restart: ({ running }, { replaces, ...data }) => (running === replaces ? [{ type: 'RefreshStarted', data }] : []),
    End: ({ running }, data) => (running === data.refreshId ? [{ type: 'RefreshEnded', data }] : []),
  },
  evolve: {
    RefreshStarted: (_, { refreshId, from, gap, correction }) => ({
      running: refreshId,
      ...(from !== undefined && { from }),
      ...(gap !== undefined && { gap }),
      ...(correction && { correction }),
    }),
    RefreshEnded: () => ({ running: null }),
  },
};

export type RefreshPartEvent =
  | { type: 'BalanceRefreshed'; data: Reading }
  | { type: 'RefreshAdvanced'; data: Advanced };
type RefreshPartCommand = {
  type: 'Record';
  data: { readonly balances: readonly Reading[]; readonly advanced?: Advanced };
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
