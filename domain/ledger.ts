import { type Asset, assetKey } from './asset.js';
import type { Decider } from './decider.js';

/** A block, and the first block of its chain: a development chain starts over, and its heights with it. */
type BlockRef = { readonly number: number; readonly hash: string; readonly time: number; readonly chain: string };
/** Where a balance was read, and on which chain. */
type Height = { readonly number: number; readonly hash: string; readonly chain: string };

/** Value that moved, or would have moved had it not failed, as the chain shows it. */
export type Transfer = {
  readonly transaction: string;
  /** Unique within its transaction and the same whichever block includes that. */
  readonly index: string;
  readonly asset: Asset;
  readonly from: string;
  readonly to: string;
  /** Smallest units, decimal. */
  readonly value: string;
  readonly fee: string;
  /** Reverted on chain: nothing but the fee was paid. */
  readonly failed: boolean;
  /** What else the chain family's transfer records show. */
  readonly details: Readonly<Record<string, string | number>>;
};

export type Balance = { readonly address: string; readonly asset: Asset; readonly balance: string };

type Of<T> = { readonly walletId: string; readonly block: BlockRef } & T;
/** `own`: which of its two addresses are the wallet's. */
type Observed = Of<{ transfer: Transfer; own: readonly string[] }>;
type Touched = Of<{ address: string; reason: string; asset: Asset }>;
type TransferChange = Of<{ transaction: string; index: string; failed: boolean }>;
/** `correction`: it stands though the height is lower than that of an earlier reading. */
type BalanceRead = Balance & { readonly walletId: string; readonly at: Height; readonly correction?: true };

/** What happened to one wallet in one block. The chain is the authority; these are its observations. */
export type LedgerEvent =
  | { type: 'TransferObserved'; data: Observed }
  /** A balance changed without a transfer, or is to be read. */
  | { type: 'BalanceTouched'; data: Touched }
  | { type: 'TransferConfirmed'; data: TransferChange }
  | { type: 'TransferRemoved'; data: TransferChange }
  | { type: 'BalanceRead'; data: BalanceRead }
  /**
   * All that the block did to the wallet is confirmed, or after a reorganization corrected. `open`: somebody who asked to
   * be told at a greater depth is not told yet.
   */
  | { type: 'ActivitySettled'; data: Of<{ open?: true }> }
  /** Everybody who asked to be told was told. */
  | { type: 'ActivityClosed'; data: Of<unknown> }
  /** The block was replaced; `due`: balances that counted it have to be read again, or who was told of it told so. */
  | { type: 'ActivityDropped'; data: Of<{ due: boolean }> };

export type LedgerCommand =
  | {
      type: 'Observe';
      data: Of<{
        transfers: readonly { transfer: Transfer; own: readonly string[] }[];
        touches: readonly { address: string; reason: string; asset?: Asset }[];
      }>;
    }
  | { type: 'Settle'; data: Of<{ balances: readonly Balance[]; at: Height; open: boolean }> }
  | { type: 'Close'; data: Of<unknown> }
  /** `told`: somebody may have been told of it. */
  | { type: 'Drop'; data: Of<{ told: boolean }> }
  /** Balances that were asked for, read at that block: should it be replaced, they have to be read again. */
  | { type: 'Refresh'; data: Of<{ balances: readonly Balance[] }> }
  /** Balances that are to be read, or read again, once the block is confirmed. */
  | { type: 'Await'; data: Of<{ holdings: readonly Holding[] }> };

/** Tokens or coins of one kind that an address may hold. */
export type Holding = { readonly address: string; readonly asset: Asset };
type Seen = { readonly transfer: Transfer; readonly own: readonly string[] };
export type Ledger = {
  readonly phase: 'none' | 'pending' | 'open' | 'confirmed' | 'dropped' | 'due';
  /** How often the block was replaced, and perhaps came back. */
  readonly drops: number;
  /** A balance that counted the block before it was replaced was not corrected yet. */
  readonly owed: boolean;
  /** Else all that is known of the block is that balances were read there on request. */
  readonly observed: boolean;
  /** Somebody asked for balances there. */
  readonly asked: boolean;
  readonly transfers: readonly Seen[];
  /** What balances the block may have changed; some perhaps more than once. */
  readonly holdings: readonly Holding[];
};

const nothing = { transfers: [], holdings: [], asked: false };
const onRequest = 'refresh';
const native: Asset = { standard: 'native' };
/** Each once. */
export const distinct = (holdings: readonly Holding[]): Holding[] => [
  ...new Map(holdings.map((holding) => [`${holding.address} ${assetKey(holding.asset)}`, holding])).values(),
];

const stands = (phase: Ledger['phase']) => phase === 'pending' || phase === 'open' || phase === 'confirmed';
/** Whether a balance that counted the block, or was to be read for it, has to be read when it is replaced. */
const isOwed = ({ phase, asked }: Ledger) => phase !== 'pending' || asked;
/** What was seen before the block was dropped is seen anew. */
const begun = (ledger: Ledger) => (stands(ledger.phase) ? ledger : { ...ledger, ...nothing });

const changes = <T extends 'TransferConfirmed' | 'TransferRemoved'>(
  type: T,
  { transfers }: Ledger,
  { walletId, block }: Of<unknown>,
) =>
  transfers.map(({ transfer: { transaction, index, failed } }) => ({
    type,
    data: { walletId, block, transaction, index, failed },
  }));

const readings = (walletId: string, balances: readonly Balance[], at: Height, correction: boolean) =>
  balances.map((balance) => ({
    type: 'BalanceRead' as const,
    data: { walletId, ...balance, at, ...(correction && { correction: true as const }) },
  }));

const touches = ({ walletId, block }: Of<unknown>, holdings: readonly Holding[]) =>
  holdings.map(({ address, asset }) => ({
    type: 'BalanceTouched' as const,
    data: { walletId, block, address, asset, reason: onRequest },
  }));

/** One stream per wallet and block, so that no stream grows with an address's history. */
export const ledger: Decider<LedgerCommand, LedgerEvent, Ledger> = {
  stream: 'ledger',
  initial: { phase: 'none', drops: 0, owed: false, observed: false, ...nothing },
  decide: {
    Observe: ({ phase, observed }, { walletId, block, transfers, touches }) => {
      if (stands(phase) && observed) return [];
      return [
        ...transfers.map((one) => ({ type: 'TransferObserved' as const, data: { walletId, block, ...one } })),
        ...touches.map(({ address, reason, asset = native }) => ({
          type: 'BalanceTouched' as const,
          data: { walletId, block, address, asset, reason },
        })),
      ];
    },
    Settle: (ledger, { walletId, block, balances, at, open }) => {
      const { phase } = ledger;
      if (phase !== 'pending' && phase !== 'due') return [];
      return [
        ...(phase === 'pending' ? changes('TransferConfirmed', ledger, { walletId, block }) : []),
        ...readings(walletId, balances, at, ledger.owed),
        { type: 'ActivitySettled', data: { walletId, block, ...(open && phase === 'pending' && { open }) } },
      ];
    },
    Close: ({ phase }, { walletId, block }) =>
      phase === 'open' ? [{ type: 'ActivityClosed', data: { walletId, block } }] : [],
    Drop: (ledger, { walletId, block, told }) => {
      if (!stands(ledger.phase)) return [];
      return [
        ...changes('TransferRemoved', ledger, { walletId, block }),
        { type: 'ActivityDropped', data: { walletId, block, due: told || ledger.owed || isOwed(ledger) } },
      ];
    },
    Refresh: ({ phase }, { walletId, block, balances }) => {
      // What was read in a block that is no longer there says nothing.
      if (phase === 'dropped' || phase === 'due') return [];
      const { number, hash, chain } = block;
      const open = phase === 'open' ? { open: true as const } : {};
      return [
        ...touches({ walletId, block }, balances),
        ...readings(walletId, balances, { number, hash, chain }, false),
        ...(phase === 'pending' ? [] : [{ type: 'ActivitySettled' as const, data: { walletId, block, ...open } }]),
      ];
    },
    Await: ({ phase }, { walletId, block, holdings }) =>
      phase === 'dropped' || phase === 'due' ? [] : touches({ walletId, block }, holdings),
  },
  evolve: {
    TransferObserved: (ledger, { transfer, own }) => {
      const { transfers, holdings, asked } = begun(ledger);
      const { failed, asset } = transfer;
      return {
        ...ledger,
        phase: 'pending',
        observed: true,
        asked,
        transfers: [...transfers, { transfer, own }],
        holdings: failed ? holdings : [...holdings, ...own.map((address) => ({ address, asset }))],
      };
    },
    BalanceTouched: (ledger, { address, asset, reason }) => {
      const { holdings, ...rest } = begun(ledger);
      const observed = ledger.observed || reason !== onRequest;
      const asked = rest.asked || reason === onRequest;
      return { ...rest, phase: 'pending', observed, asked, holdings: [...holdings, { address, asset }] };
    },
    TransferConfirmed: (ledger) => ledger,
    TransferRemoved: (ledger) => ledger,
    BalanceRead: (ledger) => ledger,
    ActivitySettled: (ledger, { open }) => {
      if (ledger.phase === 'due') return { ...ledger, owed: false, phase: 'dropped' };
      return { ...ledger, owed: false, phase: open ? 'open' : 'confirmed' };
    },
    ActivityClosed: (ledger) => ({ ...ledger, phase: 'confirmed' }),
    ActivityDropped: (ledger, { due }) => ({
      ...ledger,
      drops: ledger.drops + 1,
      observed: false,
      owed: due,
      phase: due ? 'due' : 'dropped',
    }),
  },
};
