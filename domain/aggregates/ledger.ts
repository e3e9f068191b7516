import { type Asset, assetKey } from '../asset.js';
import type { Decider } from '../decider.js';

/** Block; `chain` is the hash of its chain's first block, since a development chain starts over at height 0. */
type BlockRef = { readonly number: number; readonly hash: string; readonly time: number; readonly chain: string };
/** Block at which a balance was read. */
type Height = { readonly number: number; readonly hash: string; readonly chain: string };

/** Movement of value, or one that failed, as the chain shows it. */
export type Transfer = {
  readonly transaction: string;
  /** Identifies the transfer within its transaction; the same in whichever block the transaction is included. */
  readonly index: string;
  readonly asset: Asset;
  readonly from: string;
  readonly to: string;
  /** Decimal number of smallest units. */
  readonly value: string;
  readonly fee: string;
  /** True when the transaction was reverted, so that only the fee was paid. */
  readonly failed: boolean;
  /** Additional fields of the chain family's transfer records. */
  readonly details: Readonly<Record<string, string | number>>;
};

export type Balance = { readonly address: string; readonly asset: Asset; readonly balance: string };

type Of<T> = { readonly walletId: string; readonly block: BlockRef } & T;
/** `own` lists those of the transfer's two addresses that belong to the wallet. */
type Observed = Of<{ transfer: Transfer; own: readonly string[] }>;
type Touched = Of<{ address: string; reason: string; asset: Asset }>;
type TransferChange = Of<{ transaction: string; index: string; failed: boolean }>;
/** `correction`: the reading counts although an earlier one was made at a greater height. */
type BalanceRead = Balance & { readonly walletId: string; readonly at: Height; readonly correction?: true };
/** Balance that could not be read, and why. */
export type UnreadBalance = Holding & { readonly reason: string };

/** Events of one wallet in one block. They record what the chain showed, so no rule refuses them. */
export type LedgerEvent =
  | { type: 'TransferObserved'; data: Observed }
  /** Balance that changed without a transfer, or was asked for. */
  | { type: 'BalanceTouched'; data: Touched }
  | { type: 'TransferConfirmed'; data: TransferChange }
  | { type: 'TransferRemoved'; data: TransferChange }
  | { type: 'BalanceRead'; data: BalanceRead }
  /** The contract did not tell the balance, which is read once the contract answers again. */
  | { type: 'BalanceSetAside'; data: Of<UnreadBalance> }
  /**
   * All changes by the block to the wallet are confirmed, or corrected after a reorganization. `open`: webhooks are
   * still to be notified; `unread`: the balances that the block may have changed are still to be read.
   */
  | { type: 'ActivitySettled'; data: Of<{ open?: true; unread?: true }> }
  /** Every webhook was notified. */
  | { type: 'ActivityClosed'; data: Of<unknown> }
  /** The block was replaced; `due`: balances must be read again, or webhooks notified that transfers were removed. */
  | { type: 'ActivityDropped'; data: Of<{ due: boolean }> };

export type LedgerCommand =
  | {
      type: 'Observe';
      data: Of<{
        transfers: readonly { transfer: Transfer; own: readonly string[] }[];
        touches: readonly { address: string; reason: string; asset?: Asset }[];
        /** Adds transfers that were found after the block was confirmed, by an account that was not known before. */
        late?: boolean;
      }>;
    }
  /** Confirms the block's transfers although its balances are not read yet. */
  | { type: 'Confirm'; data: Of<{ open: boolean }> }
  /**
   * Records the balances, together with the confirmation if there was none yet. Ignored unless the block was dropped
   * `drops` times, as it was when the balances were read.
   */
  | {
      type: 'Settle';
      data: Of<{
        balances: readonly Balance[];
        aside: readonly UnreadBalance[];
        at: Height;
        open: boolean;
        drops: number;
      }>;
    }
  /** `count`: transfers that the ledger had when webhooks were notified; ignored when it has more by now. */
  | { type: 'Close'; data: Of<{ count: number }> }
  /** `told`: a webhook may have been notified of the block's transfers. */
  | { type: 'Drop'; data: Of<{ told: boolean }> }
  /** Records balances that were asked for and read at this block; if it is replaced they are read again. */
  | { type: 'Refresh'; data: Of<{ balances: readonly Balance[] }> }
  /** Marks balances to be read once the block is confirmed. */
  | { type: 'Await'; data: Of<{ holdings: readonly Holding[] }> };

/** Asset that an address may hold. */
export type Holding = { readonly address: string; readonly asset: Asset };
type Seen = { readonly transfer: Transfer; readonly own: readonly string[] };
export type Ledger = {
  readonly phase: 'none' | 'pending' | 'open' | 'confirmed' | 'dropped' | 'due';
  /** Number of times the block was replaced; it may have come back in between. */
  readonly drops: number;
  /** True while a balance that counted the replaced block is not corrected yet. */
  readonly owed: boolean;
  /** True once the block's transfers were recorded; false while it only has balances that were asked for. */
  readonly observed: boolean;
  /** True when balances at this block were asked for. */
  readonly asked: boolean;
  /** True while the block is confirmed and the balances that it may have changed are not read yet. */
  readonly unread: boolean;
  readonly transfers: readonly Seen[];
  /** Number of the transfers, in order, that were recorded as confirmed; all of them unless an append was cut short. */
  readonly confirmed: number;
  /** Number of the transfers, in order, that were recorded as removed. */
  readonly removed: number;
  /** Number of the transfers, in order, of which every webhook was notified that was to be. */
  readonly told: number;
  /** Balances that the block may have changed, possibly with duplicates. */
  readonly holdings: readonly Holding[];
};

const nothing = { transfers: [], confirmed: 0, removed: 0, told: 0, holdings: [], asked: false, unread: false };
const onRequest = 'refresh';
const native: Asset = { standard: 'native' };
/** Drops duplicates. */
export const distinct = (holdings: readonly Holding[]): Holding[] => [
  ...new Map(holdings.map((holding) => [holdingKey(holding), holding])).values(),
];

const stands = (phase: Ledger['phase']) => phase === 'pending' || phase === 'open' || phase === 'confirmed';
/** Tells whether balances must be read again if the block is replaced: they counted it, or were asked for. */
const isOwed = ({ phase, asked }: Ledger) => phase !== 'pending' || asked;
/** Forgets what was recorded before the block was dropped, since the chain shows all of it again. */
const begun = (ledger: Ledger) => (stands(ledger.phase) ? ledger : { ...ledger, ...nothing });

const changes = <T extends 'TransferConfirmed' | 'TransferRemoved'>(
  type: T,
  transfers: readonly Seen[],
  { walletId, block }: Of<unknown>,
) =>
  transfers.map(({ transfer: { transaction, index, failed } }) => ({
    type,
    data: { walletId, block, transaction, index, failed },
  }));

type Observation = Extract<LedgerCommand, { type: 'Observe' }>['data'];
const transferKey = ({ transaction, index }: Transfer) => `${transaction} ${index}`;
const holdingKey = ({ address, asset }: Holding) => `${address} ${assetKey(asset)}`;

/**
 * Returns the part of a block that is not in the ledger yet: all of it, the rest of an interrupted observation, or late
 * transfers.
 */
const notObserved = (ledger: Ledger, { transfers, touches, late = false }: Observation) => {
  if (!stands(ledger.phase) || !ledger.observed) return { transfers, touches };
  if (ledger.phase !== 'pending' && !late) return { transfers: [], touches: [] };
  const seen = new Set(ledger.transfers.map(({ transfer }) => transferKey(transfer)));
  const held = new Set(ledger.holdings.map(holdingKey));
  return {
    transfers: transfers.filter(({ transfer }) => !seen.has(transferKey(transfer))),
    touches: touches.filter(({ address, asset = native }) => !held.has(holdingKey({ address, asset }))),
  };
};

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

const observe = (ledger: Ledger, run: readonly Observed[]): Ledger => {
  const { transfers, holdings, ...rest } = begun(ledger);
  const changed = run.flatMap(({ transfer: { failed, asset }, own }) =>
    failed ? [] : own.map((address) => ({ address, asset })),
  );
  const seen = run.map(({ transfer, own }) => ({ transfer, own }));
  return {
    ...rest,
    phase: 'pending',
    observed: true,
    transfers: [...transfers, ...seen],
    holdings: [...holdings, ...changed],
  };
};

const touch = (ledger: Ledger, run: readonly Touched[]): Ledger => {
  const { holdings, ...rest } = begun(ledger);
  const observed = ledger.observed || run.some(({ reason }) => reason !== onRequest);
  const asked = rest.asked || run.some(({ reason }) => reason === onRequest);
  const touched = run.map(({ address, asset }) => ({ address, asset }));
  return { ...rest, phase: 'pending', observed, asked, holdings: [...holdings, ...touched] };
};

/** One stream per wallet and block, so that no stream grows with a wallet's history. */
export const ledger: Decider<LedgerCommand, LedgerEvent, Ledger> = {
  stream: 'ledger',
  initial: { phase: 'none', drops: 0, owed: false, observed: false, ...nothing },
  decide: {
    Observe: (ledger, observation) => {
      const { walletId, block } = observation;
      const left = notObserved(ledger, observation);
      return [
        ...left.transfers.map((one) => ({ type: 'TransferObserved' as const, data: { walletId, block, ...one } })),
        ...left.touches.map(({ address, reason, asset = native }) => ({
          type: 'BalanceTouched' as const,
          data: { walletId, block, address, asset, reason },
        })),
      ];
    },
    Confirm: (ledger, { walletId, block, open }) => {
      if (ledger.phase !== 'pending') return [];
      const unread = ledger.holdings.length > 0 && { unread: true as const };
      return [
        ...changes('TransferConfirmed', ledger.transfers.slice(ledger.confirmed), { walletId, block }),
        { type: 'ActivitySettled', data: { walletId, block, ...(open && { open }), ...unread } },
      ];
    },
    Settle: (ledger, { walletId, block, balances, aside, at, open, drops }) => {
      const { phase, unread } = ledger;
      const isPending = phase === 'pending';
      if ((!isPending && phase !== 'due' && !unread) || ledger.drops !== drops) return [];
      const isOpen = isPending ? open : phase === 'open';
      return [
        ...(isPending
          ? changes('TransferConfirmed', ledger.transfers.slice(ledger.confirmed), { walletId, block })
          : []),
        ...readings(walletId, balances, at, ledger.owed),
        ...aside.map((one) => ({ type: 'BalanceSetAside' as const, data: { walletId, block, ...one } })),
        { type: 'ActivitySettled', data: { walletId, block, ...(isOpen && { open: true as const }) } },
      ];
    },
    Close: ({ phase, transfers }, { walletId, block, count }) =>
      phase === 'open' && transfers.length === count ? [{ type: 'ActivityClosed', data: { walletId, block } }] : [],
    Drop: (ledger, { walletId, block, told }) => {
      if (!stands(ledger.phase)) return [];
      return [
        ...changes('TransferRemoved', ledger.transfers.slice(ledger.removed), { walletId, block }),
        { type: 'ActivityDropped', data: { walletId, block, due: told || ledger.owed || isOwed(ledger) } },
      ];
    },
    Refresh: ({ phase, unread }, { walletId, block, balances }) => {
      // A balance at a block that was replaced is meaningless.
      if (phase === 'dropped' || phase === 'due') return [];
      const { number, hash, chain } = block;
      const left = { ...(phase === 'open' && { open: true as const }), ...(unread && { unread }) };
      return [
        ...touches({ walletId, block }, balances),
        ...readings(walletId, balances, { number, hash, chain }, false),
        ...(phase === 'pending' ? [] : [{ type: 'ActivitySettled' as const, data: { walletId, block, ...left } }]),
      ];
    },
    Await: ({ phase }, { walletId, block, holdings }) =>
      phase === 'dropped' || phase === 'due' ? [] : touches({ walletId, block }, holdings),
  },
  evolve: {
    TransferObserved: (ledger, data) => observe(ledger, [data]),
    BalanceTouched: (ledger, data) => touch(ledger, [data]),
    TransferConfirmed: (ledger) => ({ ...ledger, confirmed: ledger.confirmed + 1 }),
    TransferRemoved: (ledger) => ({ ...ledger, removed: ledger.removed + 1 }),
    BalanceRead: (ledger) => ledger,
    BalanceSetAside: (ledger) => ledger,
    ActivitySettled: (ledger, { open, unread = false }) => {
      if (ledger.phase === 'due') return { ...ledger, owed: false, phase: 'dropped' };
      const told = open ? ledger.told : ledger.transfers.length;
      return { ...ledger, owed: unread && ledger.owed, unread, told, phase: open ? 'open' : 'confirmed' };
    },
    ActivityClosed: (ledger) => ({ ...ledger, told: ledger.transfers.length, phase: 'confirmed' }),
    ActivityDropped: (ledger, { due }) => ({
      ...ledger,
      drops: ledger.drops + 1,
      confirmed: 0,
      removed: 0,
      told: 0,
      observed: false,
      unread: false,
      owed: due,
      phase: due ? 'due' : 'dropped',
    }),
  },
  evolveRun: { TransferObserved: observe, BalanceTouched: touch },
};
