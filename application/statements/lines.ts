import { type Asset, assetKey, standardsOf } from '../../domain/asset.js';
import { thresholdOf, type Variant } from '../../domain/variant.js';
import { assets } from '../../projections/assets.js';
import { scopeOf, systemOwner } from '../../projections/define.js';
import { unreadableBlocks } from '../../projections/unreadable-blocks.js';
import type { Context } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Activity, Scan } from './activity.js';
import type { Balances } from './balances.js';
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
const holderOf = ({ wallet, address }: Of) => ({ walletId: wallet.wallet_id, address });
export type AddressEntries = (context: Context, of: Of) => AsyncGenerator<Entry>;

type Ports = { readonly readModels: ReadModels; readonly activity: Activity; readonly balances: Balances };

/** Finds the reasons of an amount that movements and fees do not explain. */
const createReasons = ({ readModels, balances }: Ports) => {
  const hasUnreadable = async ({ variant }: Context, { start, end }: Period) => {
    const query = { index: 'all', equal: [], limit: 1, after: [end.number + 1, ''] as const };
    const { documents } = await readModels.page(unreadableBlocks, scopeOf(systemOwner, variant.tag), query);
    return (documents[0]?.number ?? -1) > start.number;
  };
  return async (context: Context, of: Of, tally: Tally) => {
    const { period } = of;
    const reasons = new Set(tally.reasons);
    const { first, last } = await balances.followedSince(context, holderOf(of), tally.asset);
    const isWithin = (time: number) => time > period.start.time && time <= period.end.time;
    if (tally.opening === null || isWithin(first) || isWithin(last)) reasons.add('before_registration');
    if (await hasUnreadable(context, period)) reasons.add('unreadable_block');
    if (reasons.size === 0) reasons.add(tally.asset.standard === 'native' ? 'unknown' : 'rebasing_token');
    return unexplainedReasons.filter((one) => reasons.has(one));
  };
};

/** Returns the line of an asset; null if nothing is known of its balance, as after a failed transfer alone. */
const createLine = (ports: Ports) => {
  const reasonsFor = createReasons(ports);
  return async (context: Context, of: Of, tally: Tally, found: bigint | null): Promise<Line | null> => {
    const { asset, incoming, outgoing, fees, inTransit } = tally;
    if (found === null && tally.opening === null) return null;
    const [opening, closing] = [tally.opening ?? 0n, found ?? 0n];
    const unexplained = closing - opening - incoming + outgoing + fees;
    const reasons = unexplained === 0n ? [] : await reasonsFor(context, of, tally);
    return { address: of.address, asset, opening, incoming, outgoing, fees, inTransit, closing, unexplained, reasons };
  };
};

/** Returns the assets of an address whose balance was ever read. */
const heldAssets = async (readModels: ReadModels, context: Context, { wallet, address }: Of) => {
  const held: Asset[] = [];
  for (const standard of new Set<Asset['standard']>([...standardsOf(context.variant), 'token'])) {
    const query = { index: 'byAddress', equal: [address, standard], oldestFirst: true };
    for await (const one of documentsBy(readModels, context, assets, query))
      if (one.wallet_id === wallet.wallet_id) held.push(one.asset);
  }
  return held;
};

type Bounds = Pick<Scan, 'from' | 'direction'> & { readonly isWanted: (number: number) => boolean };

const boundsOf = ({ variant }: Context, { wallet, period }: Of): Record<'recent' | 'period', Bounds> => ({
  recent: {
    from: period.end,
    direction: 'back',
    isWanted: (number) => isInTransit(variant, wallet, period, number),
  },
  period: { from: period.start, direction: 'forward', isWanted: (number) => number <= period.end.number },
});

/** Yields the blocks within bounds, with their movements and all assets that they change. */
const createBlocksIn = (activity: Activity) =>
  async function* (context: Context, of: Of, { isWanted, ...bounds }: Bounds) {
    const { wallet, period, selection } = of;
    for await (const block of activity(context, { ...holderOf(of), ...bounds })) {
      if (!isWanted(block.number)) return;
      const movements = movementsIn(block, selection, isInTransit(context.variant, wallet, period, block.number));
      const moved = movements.map(({ document }) => document.transfer.asset);
      yield { block, movements, changed: [...moved, ...block.touches.map(({ asset }) => asset)] };
    }
  };

/** Yields the statement of one address. Memory grows with the number of its assets, not with its movements. */
export const createAddressEntries = (ports: Ports): AddressEntries => {
  const { readModels, activity, balances } = ports;
  const blocksIn = createBlocksIn(activity);
  const lineOf = createLine(ports);

  /** Begins the tallies of assets that have none, and yields their openings. */
  const begin = async function* (context: Context, of: Of, tallies: Tallies, assets: Iterable<Asset>) {
    const found = [...new Map([...assets].map((asset) => [assetKey(asset), asset])).values()];
    const unknown = found.filter((asset) => isUnknown(of, tallies, asset));
    const openings = await balances.at(context, holderOf(of), unknown, of.period.start);
    for (const asset of unknown) {
      const opening = openings.get(assetKey(asset)) ?? null;
      tallies.begin(asset, opening);
      yield { kind: 'opening', address: of.address, asset, balance: opening ?? 0n } as const;
    }
  };
  const isUnknown = ({ selection }: Of, tallies: Tallies, asset: Asset) =>
    selection.hasAsset(asset) && !tallies.has(asset);
  const changedAssets = async (context: Context, of: Of) => {
    const found = new Map<string, Asset>();
    for (const bounds of Object.values(boundsOf(context, of)))
      for await (const { changed } of blocksIn(context, of, bounds))
        for (const asset of changed) found.set(assetKey(asset), asset);
    return found.values();
  };
  /** Yields the movements within bounds, each after the opening of its asset. */
  const entriesIn = async function* (
    context: Context,
    of: Of,
    tallies: Tallies,
    bounds: Bounds,
  ): AsyncGenerator<Exclude<Entry, { kind: 'line' }>> {
    for await (const { block, movements, changed } of blocksIn(context, of, bounds)) {
      // The openings of all unknown assets are read at once, because that may take all activity of the address.
      if (changed.some((asset) => isUnknown(of, tallies, asset)))
        yield* begin(context, of, tallies, await changedAssets(context, of));
      if (bounds.direction === 'forward') tallies.note(block);
      for (const movement of movements) yield { kind: 'movement', movement };
    }
  };
  const lines = async function* (context: Context, of: Of, tallies: Tallies): AsyncGenerator<Entry> {
    const all = [...tallies.all()];
    const assets = all.map(({ asset }) => asset);
    const closings = await balances.at(context, holderOf(of), assets, of.period.end);
    for (const tally of all) {
      const line = await lineOf(context, of, tally, closings.get(assetKey(tally.asset)) ?? null);
      if (line) yield { kind: 'line', line };
    }
  };

  return async function* (context, of) {
    const tallies = createTallies();
    const { recent, period } = boundsOf(context, of);
    yield* begin(context, of, tallies, await heldAssets(readModels, context, of));
    for await (const entry of entriesIn(context, of, tallies, recent))
      if (entry.kind === 'movement') tallies.addInTransit(entry.movement);
      else yield entry;
    for await (const entry of entriesIn(context, of, tallies, period)) {
      if (entry.kind === 'movement') tallies.add(entry.movement);
      yield entry;
    }
    yield* lines(context, of, tallies);
  };
};
