import { type Asset, assetKey, standardsOf } from '../../domain/asset.js';
import { thresholdOf, type Variant } from '../../domain/variant.js';
import { assetDocumentId, assets } from '../../projections/assets.js';
import { scopeOf, systemOwner } from '../../projections/define.js';
import { drifts } from '../../projections/statements/drifts.js';
import { unreadableBlocks } from '../../projections/unreadable-blocks.js';
import type { Context } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Activity, ActivityBlock, Scan } from './activity.js';
import type { Balances } from './balances.js';
import type { CutOff } from './cut-off.js';
import { documentsBy } from './documents-by.js';
import { movementsIn, type Selection, type StatementMovement } from './movements.js';
import { createTallies, type Tallies, type Tally, type UnexplainedReason, unexplainedReasons } from './tallies.js';

/** Period of a statement: the blocks after `start`, up to and including `end`. */
export type Period = { readonly start: CutOff; readonly end: CutOff };

/** Correction of a balance by reconciliation, in smallest units. */
export type Correction = { readonly block: number; readonly expected: bigint; readonly found: bigint };

/** Balances of one address and asset over a period, in smallest units. */
export type Line = {
  readonly address: string;
  readonly asset: Asset;
  readonly opening: bigint;
  readonly incoming: bigint;
  readonly outgoing: bigint;
  readonly fees: bigint;
  /**
   * Net amount of movements that had fewer confirmations at the end of the period than the wallet requires. `closing`
   * includes this amount.
   */
  readonly inTransit: bigint;
  readonly closing: bigint;
  readonly unexplained: bigint;
  readonly reasons: readonly UnexplainedReason[];
  /** Corrections of the period, newest first; empty if `unexplained` is 0. */
  readonly corrections: readonly Correction[];
};

/** Part of the statement of one address: the opening balance of an asset, a movement, or the line of an asset. */
export type Entry =
  | { readonly kind: 'opening'; readonly address: string; readonly asset: Asset; readonly balance: bigint }
  | { readonly kind: 'movement'; readonly movement: StatementMovement }
  | { readonly kind: 'line'; readonly line: Line };

type Wallet = { readonly wallet_id: string; readonly confirmation?: number };

/** Returns whether a block has fewer confirmations at the end of the period than the wallet requires. */
export const isInTransit = (variant: Variant, { confirmation }: Wallet, { end }: Period, number: number) =>
  end.number - number + 1 < thresholdOf(variant, confirmation);

type Of = {
  readonly wallet: Wallet;
  readonly address: string;
  readonly period: Period;
  readonly selection: Selection;
};
const holderOf = ({ wallet, address }: Of) => ({ walletId: wallet.wallet_id, address });
/** Yields entries in batches, because waiting for each entry would take longer than reading the entry. */
export type AddressEntries = (context: Context, of: Of) => AsyncGenerator<readonly Entry[]>;

type Ports = { readonly readModels: ReadModels; readonly activity: Activity; readonly balances: Balances };

/** Creates a function that finds the reasons for an amount that movements and fees do not explain. */
const createReasons = ({ readModels, balances }: Ports) => {
  const hasUnreadable = async (context: Context, { start, end }: Period) => {
    const query = { index: 'all', equal: [], after: [end.number + 1, ''] as const };
    const scope = scopeOf(systemOwner, context.variant.tag);
    for await (const { number, chain } of documentsBy(readModels, context, unreadableBlocks, query, scope)) {
      if (number <= start.number) return false;
      if (chain === end.chain) return true;
    }
    return false;
  };
  return async (context: Context, of: Of, tally: Tally, isCorrected: boolean) => {
    const { period } = of;
    const reasons = new Set(tally.reasons);
    const since = await balances.followedSince(context, holderOf(of), tally.asset);
    const isWithin = (time: number) => time > period.start.time && time <= period.end.time;
    if (tally.opening === null || since.some(isWithin)) reasons.add('before_registration');
    if (await hasUnreadable(context, period)) reasons.add('unreadable_block');
    if (isCorrected) reasons.add('balance_drifted');
    if (reasons.size === 0) reasons.add(tally.asset.standard === 'native' ? 'unknown' : 'rebasing_token');
    return unexplainedReasons.filter((one) => reasons.has(one));
  };
};

/** Finds the corrections of a balance in the blocks of a period, newest first. */
const correctionsOf = async (readModels: ReadModels, context: Context, of: Of, asset: Asset) => {
  const { wallet, address, period } = of;
  const holding = assetDocumentId(wallet.wallet_id, address, asset);
  const equal = [holding, period.end.chain ?? ''];
  const found: Correction[] = [];
  const query = { index: 'byHolding', equal, after: [period.end.number + 1, ''] as const };
  for await (const drift of documentsBy(readModels, context, drifts, query)) {
    if (drift.block_number <= period.start.number) break;
    found.push({ block: drift.block_number, expected: BigInt(drift.expected), found: BigInt(drift.found) });
  }
  return found;
};

/**
 * Creates a function that returns the line of an asset; null if no balance of the asset is known, for example because
 * its only activity is a failed transfer.
 */
const createLine = (ports: Ports) => {
  const reasonsFor = createReasons(ports);
  return async (context: Context, of: Of, tally: Tally, found: bigint | null): Promise<Line | null> => {
    const { asset, incoming, outgoing, fees, inTransit } = tally;
    if (found === null && tally.opening === null) return null;
    const [opening, closing] = [tally.opening ?? 0n, found ?? 0n];
    const unexplained = closing - opening - incoming + outgoing + fees;
    const sums = { opening, incoming, outgoing, fees, inTransit, closing, unexplained };
    const line = { address: of.address, asset, ...sums };
    if (unexplained === 0n) return { ...line, reasons: [], corrections: [] };
    const corrections = await correctionsOf(ports.readModels, context, of, asset);
    return { ...line, reasons: await reasonsFor(context, of, tally, corrections.length > 0), corrections };
  };
};

/** Creates a function that yields the lines of all tallies. */
const createLines = (ports: Ports) => {
  const lineOf = createLine(ports);
  return async function* (context: Context, of: Of, tallies: Tallies): AsyncGenerator<readonly Entry[]> {
    const all = [...tallies.all()];
    const assets = all.map(({ asset }) => asset);
    const closings = await ports.balances.at(context, holderOf(of), assets, of.period.end);
    for (const tally of all) {
      const line = await lineOf(context, of, tally, closings.get(assetKey(tally.asset)) ?? null);
      if (line) yield [{ kind: 'line', line }];
    }
  };
};

/** Returns the assets of which a balance was ever read at an address. */
const heldAssets = async (readModels: ReadModels, context: Context, { wallet, address }: Of) => {
  const held: Asset[] = [];
  for (const standard of new Set<Asset['standard']>([...standardsOf(context.variant), 'token'])) {
    const query = { index: 'byAddress', equal: [address, standard], oldestFirst: true };
    for await (const one of documentsBy(readModels, context, assets, query))
      if (one.wallet_id === wallet.wallet_id) held.push(one.asset);
  }
  return held;
};

/** Number of entries after which a batch is yielded. */
const batchLength = 500;

type Bounds = Pick<Scan, 'from' | 'direction'> & {
  readonly isWanted: (number: number) => boolean;
  /** Method of the tallies that adds the movements: to the sums of the period, or to `inTransit`. */
  readonly sum: 'add' | 'addInTransit';
};

const boundsOf = ({ variant }: Context, { wallet, period }: Of): Record<'recent' | 'period', Bounds> => ({
  recent: {
    from: period.end,
    direction: 'back',
    isWanted: (number) => isInTransit(variant, wallet, period, number),
    sum: 'addInTransit',
  },
  period: { from: period.start, direction: 'forward', isWanted: (number) => number <= period.end.number, sum: 'add' },
});

type Changes = {
  readonly block: ActivityBlock;
  readonly movements: readonly StatementMovement[];
  readonly changed: readonly Asset[];
};

/**
 * Creates a function that yields the blocks within bounds, with their movements and all assets that they change.
 */
const createBlocksIn = (activity: Activity) =>
  async function* (context: Context, of: Of, { isWanted, from, direction }: Bounds): AsyncGenerator<Changes> {
    const { wallet, period, selection } = of;
    for await (const block of activity(context, { ...holderOf(of), from, direction })) {
      if (!isWanted(block.number)) return;
      const movements = movementsIn(block, selection, isInTransit(context.variant, wallet, period, block.number));
      const moved = movements.map(({ document }) => document.transfer.asset);
      yield { block, movements, changed: [...moved, ...block.touches.map(({ asset }) => asset)] };
    }
  };

/**
 * Creates a function that yields the statement of one address. Memory use grows with the number of the address's
 * assets, not with the number of its movements.
 */
export const createAddressEntries = (ports: Ports): AddressEntries => {
  const { readModels, activity, balances } = ports;
  const blocksIn = createBlocksIn(activity);
  const lines = createLines(ports);

  /** Begins the tallies of assets without a tally, and returns the opening entries of these assets. */
  const begin = async (context: Context, of: Of, tallies: Tallies, assets: Iterable<Asset>) => {
    const found = [...new Map([...assets].map((asset) => [assetKey(asset), asset])).values()];
    const unknown = found.filter((asset) => isUnknown(of, tallies, asset));
    const openings = await balances.at(context, holderOf(of), unknown, of.period.start);
    return unknown.map((asset) => {
      const opening = openings.get(assetKey(asset)) ?? null;
      tallies.begin(asset, opening);
      return { kind: 'opening', address: of.address, asset, balance: opening ?? 0n } as const;
    });
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
  /**
   * Adds the changes of a block to the tallies of their assets, and returns the opening entries of assets without a
   * tally.
   */
  const tally = async (context: Context, of: Of, tallies: Tallies, { direction, sum }: Bounds, changes: Changes) => {
    const { block, movements, changed } = changes;
    // Read the opening balances of all assets of the period at once, because a read may scan the whole activity of the
    // address.
    const openings = changed.some((asset) => isUnknown(of, tallies, asset))
      ? await begin(context, of, tallies, await changedAssets(context, of))
      : [];
    if (direction === 'forward') tallies.note(block);
    for (const movement of movements) tallies[sum](movement);
    return openings;
  };
  /** Yields the openings of assets that change within bounds, and the movements of the period. */
  const entriesIn = async function* (
    context: Context,
    of: Of,
    tallies: Tallies,
    bounds: Bounds,
  ): AsyncGenerator<readonly Entry[]> {
    let batch: Entry[] = [];
    for await (const changes of blocksIn(context, of, bounds)) {
      batch.push(...(await tally(context, of, tallies, bounds, changes)));
      if (bounds.sum === 'add') for (const movement of changes.movements) batch.push({ kind: 'movement', movement });
      if (batch.length < batchLength) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  };
  return async function* (context, of) {
    const tallies = createTallies();
    const { recent, period } = boundsOf(context, of);
    yield await begin(context, of, tallies, await heldAssets(readModels, context, of));
    yield* entriesIn(context, of, tallies, recent);
    yield* entriesIn(context, of, tallies, period);
    yield* lines(context, of, tallies);
  };
};
