import { type Asset, standardsOf } from '../../domain/asset.js';
import { thresholdOf, type Variant } from '../../domain/variant.js';
import { assets } from '../../projections/assets.js';
import { scopeOf, systemOwner } from '../../projections/define.js';
import { unreadableBlocks } from '../../projections/unreadable-blocks.js';
import type { Context } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Activity, Scan } from './activity.js';
import type { BalanceAt, Held } from './balance-at.js';
import type { CutOff } from './cut-off.js';
import { documentsBy } from './documents-by.js';
import { type Movement, movementsIn, type Selection } from './movements.js';
import { createTallies, type Tallies, type Tally, type UnexplainedReason, unexplainedReasons } from './tallies.js';

/** Blocks after `start` up to `end`. */
export type Period = { readonly start: CutOff; readonly end: CutOff };

/** Balances of one address and asset over a period, in smallest units. */
export type Line = {
  readonly address: string;
  readonly asset: Asset;
  readonly opening: bigint;
  readonly incoming: bigint;
  readonly outgoing: bigint;
  readonly fees: bigint;
  /** Net movements that had fewer confirmations at the end than the wallet requires. `closing` includes them. */
  readonly inTransit: bigint;
  readonly closing: bigint;
  readonly unexplained: bigint;
  readonly reasons: readonly UnexplainedReason[];
};

/** Parts of a statement of one address, in the order in which they are written. */
export type Entry =
  | { readonly kind: 'opening'; readonly address: string; readonly asset: Asset; readonly balance: bigint }
  | { readonly kind: 'movement'; readonly movement: Movement }
  | { readonly kind: 'line'; readonly line: Line };

type Wallet = { readonly wallet_id: string; readonly confirmation?: number };

/** Returns whether a block of the period has fewer confirmations at its end than the wallet requires. */
export const isInTransit = (variant: Variant, { confirmation }: Wallet, { end }: Period, number: number) =>
  end.number - number + 1 < thresholdOf(variant, confirmation);

type Of = {
  readonly wallet: Wallet;
  readonly address: string;
  readonly period: Period;
  readonly selection: Selection;
};
export type AddressEntries = (context: Context, of: Of) => AsyncGenerator<Entry>;

type Ports = { readonly readModels: ReadModels; readonly activity: Activity; readonly balanceAt: BalanceAt };

/** Finds the reasons of an amount that movements and fees do not explain. */
const createReasons = ({ readModels, balanceAt }: Ports) => {
  const hasUnreadable = async ({ variant }: Context, { start, end }: Period) => {
    const query = { index: 'all', equal: [], limit: 1, after: [end.number + 1, ''] as const };
    const { documents } = await readModels.page(unreadableBlocks, scopeOf(systemOwner, variant.tag), query);
    return (documents[0]?.number ?? -1) > start.number;
  };
  return async (context: Context, held: Held, period: Period, tally: Tally) => {
    const reasons = new Set(tally.reasons);
    const { first, last } = await balanceAt.followedSince(context, held);
    const isWithin = (time: number) => time > period.start.time && time <= period.end.time;
    if (tally.opening === null || isWithin(first) || isWithin(last)) reasons.add('before_registration');
    if (await hasUnreadable(context, period)) reasons.add('unreadable_block');
    if (reasons.size === 0) reasons.add(held.asset.standard === 'native' ? 'unknown' : 'rebasing_token');
    return unexplainedReasons.filter((one) => reasons.has(one));
  };
};

/** Returns the line of an asset; null if nothing is known of its balance, as after a failed transfer alone. */
const createLine = (ports: Ports) => {
  const { balanceAt } = ports;
  const reasonsFor = createReasons(ports);
  return async (context: Context, { wallet, address, period }: Of, tally: Tally): Promise<Line | null> => {
    const { asset, incoming, outgoing, fees, inTransit } = tally;
    const held = { walletId: wallet.wallet_id, address, asset };
    const opening = tally.opening ?? 0n;
    const found = await balanceAt.balance(context, held, period.end);
    if (found === null && tally.opening === null) return null;
    const closing = found ?? 0n;
    const unexplained = closing - opening - incoming + outgoing + fees;
    const reasons = unexplained === 0n ? [] : await reasonsFor(context, held, period, tally);
    return { address, asset, opening, incoming, outgoing, fees, inTransit, closing, unexplained, reasons };
  };
};

/** Yields the assets of an address whose balance was ever read. */
const heldAssets = async function* (readModels: ReadModels, context: Context, { wallet, address }: Of) {
  for (const standard of new Set<Asset['standard']>([...standardsOf(context.variant), 'token'])) {
    const query = { index: 'byAddress', equal: [address, standard], oldestFirst: true };
    for await (const one of documentsBy(readModels, context, assets, query))
      if (one.wallet_id === wallet.wallet_id) yield one.asset;
  }
};

/** Yields the statement of one address. Memory grows with the number of its assets, not with its movements. */
export const createAddressEntries = (ports: Ports): AddressEntries => {
  const { readModels, activity, balanceAt } = ports;
  const lineOf = createLine(ports);

  /** Begins the tallies of assets that have none, and yields their openings. */
  const begin = async function* (context: Context, of: Of, tallies: Tallies, found: readonly Asset[]) {
    const { wallet, address, period, selection } = of;
    for (const asset of found) {
      if (tallies.has(asset) || !selection.hasAsset(asset)) continue;
      const held = { walletId: wallet.wallet_id, address, asset };
      const opening = await balanceAt.balance(context, held, period.start);
      tallies.begin(asset, opening);
      yield { kind: 'opening', address, asset, balance: opening ?? 0n } as const;
    }
  };
  /** Yields the movements of blocks that `isWanted`, each after the opening of its asset. */
  const entriesIn = async function* (
    context: Context,
    of: Of,
    tallies: Tallies,
    scan: Pick<Scan, 'from' | 'direction'> & { readonly isWanted: (number: number) => boolean },
  ): AsyncGenerator<Entry> {
    const { wallet, address, period, selection } = of;
    const { isWanted, ...bounds } = scan;
    for await (const block of activity(context, { walletId: wallet.wallet_id, address, ...bounds })) {
      if (!isWanted(block.number)) return;
      const movements = movementsIn(block, selection, isInTransit(context.variant, wallet, period, block.number));
      const touched = [
        ...movements.map(({ document }) => document.transfer.asset),
        ...block.touches.map(({ asset }) => asset),
      ];
      yield* begin(context, of, tallies, touched);
      if (scan.direction === 'forward') tallies.note(block);
      for (const movement of movements) yield { kind: 'movement', movement };
    }
  };
  const recentEntries = async function* (context: Context, of: Of, tallies: Tallies): AsyncGenerator<Entry> {
    const { wallet, period } = of;
    const isWanted = (number: number) => isInTransit(context.variant, wallet, period, number);
    const scan = { from: period.end, direction: 'back', isWanted } as const;
    for await (const entry of entriesIn(context, of, tallies, scan))
      if (entry.kind === 'movement') tallies.addInTransit(entry.movement);
      else yield entry;
  };
  const periodEntries = async function* (context: Context, of: Of, tallies: Tallies): AsyncGenerator<Entry> {
    const { start, end } = of.period;
    const scan = { from: start, direction: 'forward', isWanted: (number: number) => number <= end.number } as const;
    for await (const entry of entriesIn(context, of, tallies, scan)) {
      if (entry.kind === 'movement') tallies.add(entry.movement);
      yield entry;
    }
  };

  return async function* (context, of) {
    const tallies = createTallies();
    for await (const asset of heldAssets(readModels, context, of)) yield* begin(context, of, tallies, [asset]);
    yield* recentEntries(context, of, tallies);
    yield* periodEntries(context, of, tallies);
    for (const tally of tallies.all()) {
      const line = await lineOf(context, of, tally);
      if (line) yield { kind: 'line', line };
    }
  };
};
