import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type { FollowedBlock } from './chain/block.js';
import type {
  Activity,
  Balance,
  Closed,
  Dropped,
  Holding,
  Imported,
  Reading,
  Seen,
  Settled,
  Touched,
  TransferChange,
  UnreadBalance,
} from './ledger/ledger-data.js';
import {
  holdingKey,
  newTouches,
  notImported,
  type Observation as Observable,
  observed,
  partsOf,
  transferKey,
  withImported,
} from './ledger/observation.js';

type Observed = Activity & Seen & Imported;

/** Events of one wallet in one block. These events record facts of the chain, so no rule rejects them. */
export type LedgerEvent =
  | { type: 'TransferObserved'; data: Observed }
  /** The balance may have changed without a transfer, or a request asked for a reading of the balance. */
  | { type: 'BalanceTouched'; data: Touched }
  | { type: 'TransferConfirmed'; data: TransferChange }
  | { type: 'TransferRemoved'; data: TransferChange }
  | { type: 'BalanceRead'; data: Reading }
  /** The contract did not return the balance. The balance is read again once the contract recovers. */
  | { type: 'BalanceSetAside'; data: Activity & UnreadBalance }
  /** The block's changes to the wallet are confirmed, or corrected after a reorg. */
  | { type: 'ActivitySettled'; data: Settled }
  /** All webhooks were notified of the block's transfers. */
  | { type: 'ActivityClosed'; data: Closed }
  /** A reorg replaced the block. */
  | { type: 'ActivityDropped'; data: Dropped };

export type LedgerCommand =
  | {
      type: 'Observe';
      data: Activity &
        Observable & {
          /** True for transfers of a token account found after the block was processed and perhaps confirmed. */
          late?: boolean;
        };
    }
  /**
   * Records imported transfers (ImportHistory) as confirmed, without notifying webhooks. Rejected while other activity
   * of the wallet in the block still has to be confirmed, reported to webhooks or corrected.
   */
  | { type: 'Import'; data: Activity & Observable }
  /** Confirms the block's transfers before its balances are read. */
  | { type: 'Confirm'; data: Activity & { open: boolean } }
  /**
   * Records the balances, and confirms the block unless it is already confirmed. Ignored if the ledger has more drops
   * than `drops`, because a reorg came after the reading. `retracted` is true if the balances correct a dropped block.
   */
  | {
      type: 'Settle';
      data: Activity & {
        balances: readonly Balance[];
        aside: readonly UnreadBalance[];
        at: FollowedBlock;
        open: boolean;
        drops: number;
        retracted: boolean;
      };
    }
  /**
   * Records that webhooks were notified of the block's `count` transfers. Ignored if more transfers were recorded
   * meanwhile. `feedOnly` is true if no webhook was left to notify.
   */
  | { type: 'Close'; data: Activity & { count: number; feedOnly?: boolean } }
  /** Records that a reorg replaced the block. `notified` is true if a webhook may know of its transfers. */
  | { type: 'Drop'; data: Activity & { notified: boolean } }
  /** Records requested balances as of this block. They are read again if a reorg replaces the block. */
  | { type: 'Refresh'; data: Activity & { balances: readonly Balance[] } }
  /** Marks balances to be read once the block is confirmed. */
  | { type: 'Await'; data: Activity & { holdings: readonly Holding[] } };

export type Ledger = {
  readonly phase: 'none' | 'pending' | 'open' | 'confirmed' | 'dropped' | 'due';
  /** Number of times that a reorg replaced the block. A later reorg may include the block again. */
  readonly drops: number;
  /** True while balances still have to be corrected, because they were read before a reorg replaced the block. */
  readonly owed: boolean;
  /** True once activity of the block was recorded; false while the ledger has only requested balances. */
  readonly observed: boolean;
  /** True if a request asked for balances at this block. */
  readonly asked: boolean;
  /** True while the block is confirmed but the balances that it may have changed are not read yet. */
  readonly unread: boolean;
  readonly transfers: readonly Seen[];
  /** Number of transfers, from the first, that are recorded as confirmed: not all after an interrupted append. */
  readonly confirmed: number;
  /** Number of transfers, counted from the first, that are recorded as removed. */
  readonly removed: number;
  /** Number of transfers, counted from the first, that all webhooks were notified of. */
  readonly notified: number;
  /** Balances that the block may have changed, possibly with duplicates. */
  readonly holdings: readonly Holding[];
  /** Addresses whose fees were recorded; absent if there are none. */
  readonly payers?: readonly string[];
};

const nothing = {
  transfers: [],
  confirmed: 0,
  removed: 0,
  notified: 0,
  holdings: [],
  asked: false,
  unread: false,
};
const onRequest = 'refresh';
/** Removes duplicates: keeps one holding per address and asset. */
export const distinct = (holdings: readonly Holding[]): Holding[] => [
  ...new Map(holdings.map((holding) => [holdingKey(holding), holding])).values(),
];

const isIncluded = (phase: Ledger['phase']) => phase === 'pending' || phase === 'open' || phase === 'confirmed';
/** Returns true if balances were read at the confirmation or on request and must be read again after a reorg. */
const isOwed = ({ phase, asked }: Ledger) => phase !== 'pending' || asked;
/** Discards the activity of a dropped block: if the block is included again, its activity is observed again. */
const withoutDropped = (ledger: Ledger): Ledger => {
  if (isIncluded(ledger.phase)) return ledger;
  const { payers, ...rest } = ledger;
  return { ...rest, ...nothing };
};

const changes = <T extends 'TransferConfirmed' | 'TransferRemoved'>(
  type: T,
  transfers: readonly Seen[],
  { walletId, block }: Activity,
) =>
  transfers.map(({ transfer: { transaction, index, failed } }) => ({
    type,
    data: { walletId, block, transaction, index, failed },
  }));

type Observation = Extract<LedgerCommand, { type: 'Observe' }>['data'];

/**
 * Returns the observed transfers and touches that are not in the ledger yet: all at the first observation, the missing
 * transfers and touches after an interrupted append, or the transfers of token accounts that were found late.
 */
const notObserved = (ledger: Ledger, { transfers, touches, late = false }: Observation) => {
  if (!isIncluded(ledger.phase) || !ledger.observed) return { transfers, touches };
  if (ledger.phase !== 'pending' && !late) return { transfers: [], touches: [] };
  const seen = new Set(ledger.transfers.map(({ transfer }) => transferKey(transfer)));
  return {
    transfers: transfers.filter(({ transfer }) => !seen.has(transferKey(transfer))),
    touches: newTouches(ledger, touches),
  };
};

const readings = (walletId: string, balances: readonly Balance[], at: FollowedBlock, correction: boolean) =>
  balances.map((balance) => ({
    type: 'BalanceRead' as const,
    data: { walletId, ...balance, at, ...(correction && { correction: true as const }) },
  }));

const touches = ({ walletId, block }: Activity, holdings: readonly Holding[]) =>
  holdings.map(({ address, asset }) => ({
    type: 'BalanceTouched' as const,
    data: { walletId, block, address, asset, reason: onRequest },
  }));

const observePart = (ledger: Ledger, run: readonly Observed[]): Ledger => {
  const { transfers, holdings, ...rest } = withoutDropped(ledger);
  const changed = run.flatMap(({ transfer: { failed, asset }, own }) =>
    failed ? [] : own.map((address) => ({ address, asset })),
  );
  if (run[0]?.imported) {
    const all = withImported(transfers, run);
    const done = { transfers: all, confirmed: all.length, notified: all.length };
    return { ...rest, ...done, phase: 'confirmed', observed: true, holdings: [...holdings, ...changed] };
  }
  const seen = run.map(({ transfer, own }) => ({ transfer, own }));
  return {
    ...rest,
    phase: 'pending',
    observed: true,
    transfers: [...transfers, ...seen],
    holdings: [...holdings, ...changed],
  };
};

const observe = (ledger: Ledger, run: readonly Observed[]) => partsOf(run).reduce(observePart, ledger);

const touchPart = (ledger: Ledger, run: readonly Touched[]): Ledger => {
  const { holdings, ...rest } = withoutDropped(ledger);
  const observed = ledger.observed || run.some(({ reason }) => reason !== onRequest);
  const asked = rest.asked || run.some(({ reason }) => reason === onRequest);
  const touched = run.map(({ address, asset }) => ({ address, asset }));
  const payers = [...(rest.payers ?? []), ...run.flatMap(({ address, fees }) => (fees ? [address] : []))];
  const all = { holdings: [...holdings, ...touched], ...(payers.length > 0 && { payers }) };
  return { ...rest, phase: run[0]?.imported ? 'confirmed' : 'pending', observed, asked, ...all };
};
const touch = (ledger: Ledger, run: readonly Touched[]) => partsOf(run).reduce(touchPart, ledger);

/** One stream per wallet and block, so that no stream grows with a wallet's history. */
export const ledger: Decider<LedgerCommand, LedgerEvent, Ledger> = {
  stream: 'ledger',
  initial: { phase: 'none', drops: 0, owed: false, observed: false, ...nothing },
  decide: {
    Observe: (ledger, observation) =>
      observed(['TransferObserved', 'BalanceTouched'], observation, notObserved(ledger, observation), {}),
    Import: (ledger, observation) => {
      const missing = notImported(withoutDropped(ledger), observation);
      const left = observed(['TransferObserved', 'BalanceTouched'], observation, missing, { imported: true });
      const isBusy = ledger.phase === 'pending' || ledger.phase === 'open' || ledger.phase === 'due';
      if (left.length > 0 && isBusy)
        fail('CONFLICT', `Block ${observation.block.number} of the wallet is not settled yet.`);
      return left;
    },
    Confirm: (ledger, { walletId, block, open }) => {
      if (ledger.phase !== 'pending') return [];
      const unread = ledger.holdings.length > 0 && { unread: true as const };
      return [
        ...changes('TransferConfirmed', ledger.transfers.slice(ledger.confirmed), { walletId, block }),
        { type: 'ActivitySettled', data: { walletId, block, ...(open && { open }), ...unread } },
      ];
    },
    Settle: (ledger, { walletId, block, balances, aside, at, open, drops, retracted }) => {
      const { phase, unread } = ledger;
      const isPending = phase === 'pending';
      if ((phase === 'due') !== retracted || (!isPending && !retracted && !unread) || ledger.drops !== drops) return [];
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
    Close: ({ phase, transfers }, { walletId, block, count, feedOnly = false }) =>
      phase === 'open' && transfers.length === count
        ? [{ type: 'ActivityClosed', data: { walletId, block, ...(feedOnly && { feedOnly }) } }]
        : [],
    Drop: (ledger, { walletId, block, notified }) => {
      if (!isIncluded(ledger.phase)) return [];
      return [
        ...changes('TransferRemoved', ledger.transfers.slice(ledger.removed), { walletId, block }),
        { type: 'ActivityDropped', data: { walletId, block, due: notified || ledger.owed || isOwed(ledger) } },
      ];
    },
    Refresh: ({ phase, unread }, { walletId, block, balances }) => {
      // The balances are ignored, because a reorg replaced the block at which they were read.
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
      const notified = open ? ledger.notified : ledger.transfers.length;
      return { ...ledger, owed: unread && ledger.owed, unread, notified, phase: open ? 'open' : 'confirmed' };
    },
    ActivityClosed: (ledger) => ({ ...ledger, notified: ledger.transfers.length, phase: 'confirmed' }),
    ActivityDropped: (ledger, { due }) => ({
      ...ledger,
      drops: ledger.drops + 1,
      confirmed: 0,
      removed: 0,
      notified: 0,
      observed: false,
      unread: false,
      owed: due,
      phase: due ? 'due' : 'dropped',
    }),
  },
  evolveRun: { TransferObserved: observe, BalanceTouched: touch },
};
