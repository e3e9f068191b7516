import { type Asset, assetKey } from './asset.js';
import type { Decider } from './decider.js';

/** A block, and the first block of its chain: a development chain starts over, and its heights with it. */
type BlockRef = { readonly number: number; readonly hash: string; readonly time: number; readonly chain: string };
/** Where a balance was read. */
type Height = { readonly number: number; readonly hash: string };

/** Value that moved, or would have moved had it not failed, as the chain shows it. */
export type Transfer = {
  readonly transaction: string;
  /** Unique within the transaction, whichever block includes that. */
  readonly index: string;
  readonly asset: Asset;
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly fee: string;
  readonly failed: boolean;
  readonly details: Readonly<Record<string, string | number>>;
};

export type Balance = { readonly address: string; readonly asset: Asset; readonly balance: string };

type Of<T> = { readonly walletId: string; readonly block: BlockRef } & T;
/** `own`: which of its two addresses are the wallet's. */
type Observed = Of<{ transfer: Transfer; own: readonly string[] }>;
type Touched = Of<{ address: string; reason: string }>;
type TransferChange = Of<{ transaction: string; index: string; failed: boolean }>;
/** `correction`: it stands though the height is lower than that of an earlier reading. */
type BalanceRead = Balance & { readonly walletId: string; readonly at: Height; readonly correction?: true };

/** What happened to one wallet in one block. The chain is the authority; these are its observations. */
export type LedgerEvent =
  | { type: 'TransferObserved'; data: Observed }
  /** The native balance changed without a transfer. */
  | { type: 'BalanceTouched'; data: Touched }
  | { type: 'TransferConfirmed'; data: TransferChange }
  | { type: 'TransferRemoved'; data: TransferChange }
  | { type: 'BalanceRead'; data: BalanceRead }
  /** All that the block did to the wallet is confirmed, or after a reorganization corrected. */
  | { type: 'ActivitySettled'; data: Of<unknown> }
  /** The block was replaced; `due`: balances that counted it have to be read again. */
  | { type: 'ActivityDropped'; data: Of<{ due: boolean }> };

type LedgerCommand =
  | {
      type: 'Observe';
      data: Of<{
        transfers: readonly { transfer: Transfer; own: readonly string[] }[];
        touches: readonly { address: string; reason: string }[];
      }>;
    }
  | { type: 'Settle'; data: Of<{ balances: readonly Balance[]; at: Height }> }
  | { type: 'Drop'; data: Of<unknown> }
  /** On request, whatever the chain did. */
  | { type: 'Refresh'; data: { walletId: string; balances: readonly Balance[]; at: Height } };

export type Holding = { readonly address: string; readonly asset: Asset };
type Seen = { readonly transaction: string; readonly index: string; readonly failed: boolean };
type Ledger = {
  readonly phase: 'none' | 'pending' | 'confirmed' | 'dropped' | 'due';
  readonly transfers: readonly Seen[];
  /** What balances the block may have changed; some perhaps more than once. */
  readonly holdings: readonly Holding[];
};

const nothing = { transfers: [], holdings: [] };
const native: Asset = { standard: 'native' };
/** Each once. */
export const distinct = (holdings: readonly Holding[]): Holding[] => [
  ...new Map(holdings.map((holding) => [`${holding.address} ${assetKey(holding.asset)}`, holding])).values(),
];

/** What was seen before the block was dropped is seen anew. */
const begun = (ledger: Ledger) => (ledger.phase === 'pending' ? ledger : { ...ledger, ...nothing });

const changes = <T extends 'TransferConfirmed' | 'TransferRemoved'>(
  type: T,
  { transfers }: Ledger,
  { walletId, block }: Of<unknown>,
) => transfers.map((seen) => ({ type, data: { walletId, block, ...seen } }));

const readings = (walletId: string, balances: readonly Balance[], at: Height, correction: boolean) =>
  balances.map((balance) => ({
    type: 'BalanceRead' as const,
    data: { walletId, ...balance, at, ...(correction && { correction: true as const }) },
  }));

/** One stream per wallet and block, so that no stream grows with an address's history. */
export const ledger: Decider<LedgerCommand, LedgerEvent, Ledger> = {
  stream: 'ledger',
  initial: { phase: 'none', ...nothing },
  decide: {
    Observe: ({ phase }, { walletId, block, transfers, touches }) => {
      if (phase === 'pending' || phase === 'confirmed') return [];
      return [
        ...transfers.map((one) => ({ type: 'TransferObserved' as const, data: { walletId, block, ...one } })),
        ...touches.map((one) => ({ type: 'BalanceTouched' as const, data: { walletId, block, ...one } })),
      ];
    },
    Settle: (ledger, { walletId, block, balances, at }) => {
      const { phase } = ledger;
      if (phase !== 'pending' && phase !== 'due') return [];
      return [
        ...(phase === 'pending' ? changes('TransferConfirmed', ledger, { walletId, block }) : []),
        ...readings(walletId, balances, at, phase === 'due'),
        { type: 'ActivitySettled', data: { walletId, block } },
      ];
    },
    Drop: (ledger, { walletId, block }) => {
      if (ledger.phase !== 'pending' && ledger.phase !== 'confirmed') return [];
      return [
        ...changes('TransferRemoved', ledger, { walletId, block }),
        { type: 'ActivityDropped', data: { walletId, block, due: ledger.phase === 'confirmed' } },
      ];
    },
    Refresh: (_, { walletId, balances, at }) => readings(walletId, balances, at, false),
  },
  evolve: {
    TransferObserved: (ledger, { transfer, own }) => {
      const { transfers, holdings } = begun(ledger);
      const { transaction, index, failed, asset } = transfer;
      return {
        phase: 'pending',
        transfers: [...transfers, { transaction, index, failed }],
        holdings: failed ? holdings : [...holdings, ...own.map((address) => ({ address, asset }))],
      };
    },
    BalanceTouched: (ledger, { address }) => {
      const { transfers, holdings } = begun(ledger);
      return { phase: 'pending', transfers, holdings: [...holdings, { address, asset: native }] };
    },
    TransferConfirmed: (ledger) => ledger,
    TransferRemoved: (ledger) => ledger,
    BalanceRead: (ledger) => ledger,
    ActivitySettled: (ledger) => ({ ...ledger, phase: ledger.phase === 'due' ? 'dropped' : 'confirmed' }),
    ActivityDropped: (ledger, { due }) => ({ ...ledger, phase: due ? 'due' : 'dropped' }),
  },
};
