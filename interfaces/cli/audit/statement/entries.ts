import type { App } from '../../../../application/app.js';
import type { Describe } from '../../../../application/assets/token-descriptions.js';
import type { Context } from '../../../../application/commands/handle.js';
import { type Entry, isInTransit, type Line } from '../../../../application/statements/lines.js';
import type { StatementMovement } from '../../../../application/statements/movements.js';
import type { Whole } from '../../../../application/statements/statements.js';
import type { UnexplainedReason } from '../../../../application/statements/tallies.js';
import { type Asset, assetKey, assetTypeOf } from '../../../../domain/asset.js';
import type { Family } from '../../../../domain/variant.js';

/**
 * Amount as an integer in the smallest units, and as a decimal number. `decimal` is empty if the number of decimal
 * places is unknown.
 */
export type Amount = { readonly units: string; readonly decimal: string };

export type ShownAsset = {
  readonly address: string;
  readonly asset_type: string;
  readonly token: string;
  readonly symbol: string;
};

export const lineAmounts = ['opening', 'incoming', 'outgoing', 'fees', 'in_transit', 'closing', 'unexplained'] as const;
export type ShownLine = {
  readonly kind: 'line';
  readonly asset: ShownAsset;
  readonly amounts: Readonly<Record<(typeof lineAmounts)[number], Amount>>;
  readonly isExplained: boolean;
  readonly reasons: readonly UnexplainedReason[];
  /** Corrections of the balance by reconciliation, which are a part of the unexplained amount. */
  readonly corrections: readonly { readonly block: number; readonly amount: Amount }[];
};
export type ShownMovement = {
  readonly kind: 'movement';
  readonly asset: ShownAsset;
  readonly amount: Amount;
  /** Time of the block in Unix seconds. */
  readonly time: number;
  readonly block: number;
  readonly transaction: string;
  readonly counterparty: string;
  readonly direction: StatementMovement['direction'];
  readonly fee: Amount;
  readonly state: 'failed' | 'in_transit' | 'confirmed';
};
/** Statement entry formatted for display, in the form that CSV, XLSX and PDF files share. */
export type ShownEntry =
  | { readonly kind: 'opening'; readonly asset: ShownAsset; readonly balance: Amount }
  | ShownMovement
  | ShownLine;

/** Decimal places of the native coin, by chain family. */
const coinDecimals: Readonly<Record<Family, number>> = { evm: 18, ton: 9, sui: 9 };

const decimalOf = (amount: bigint, places: number | undefined) => {
  if (places === undefined) return '';
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, '0');
  const point = digits.length - places;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end--;
  const fraction = digits.slice(point, end);
  return `${amount < 0n ? '-' : ''}${digits.slice(0, point)}${fraction && `.${fraction}`}`;
};
const none: Amount = { units: '0', decimal: '0' };
const amountOf = (amount: bigint, places: number | undefined): Amount =>
  amount === 0n && places !== undefined ? none : { units: String(amount), decimal: decimalOf(amount, places) };

const tokenIn = (asset: Asset) => {
  if (!('contract' in asset)) return '';
  return 'tokenId' in asset ? `${asset.contract} ${asset.tokenId}` : asset.contract;
};

/** Formats a time in Unix seconds as an ISO time in UTC. */
export const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString();

const amountsOf = (line: Line, places: number | undefined): ShownLine['amounts'] => ({
  opening: amountOf(line.opening, places),
  incoming: amountOf(line.incoming, places),
  outgoing: amountOf(line.outgoing, places),
  fees: amountOf(line.fees, places),
  in_transit: amountOf(line.inTransit, places),
  closing: amountOf(line.closing, places),
  unexplained: amountOf(line.unexplained, places),
});

type KnownAsset = { readonly shown: Omit<ShownAsset, 'address'>; readonly places: number | undefined };
type HeldAsset = { readonly shown: ShownAsset; readonly places: number | undefined };

/**
 * Creates a cached lookup of the symbol and the decimal places of an asset. The lookup returns a promise only for an
 * asset that is new for its address. Callers look up all assets of one address before the assets of the next address,
 * because the cache contains the assets of one address only.
 */
const createAssets = ({ descriptions }: Pick<App, 'descriptions'>, context: Context, coinPlaces: number) => {
  const known = new Map<string, KnownAsset>();
  const placesOf = (asset: Asset, { decimals }: ReturnType<Describe>) => {
    if (asset.standard === 'native') return coinPlaces;
    return 'tokenId' in asset ? 0 : decimals;
  };
  const look = async (asset: Asset, key: string): Promise<KnownAsset> => {
    const description = (await descriptions(context, [asset]))(asset);
    const asset_type = assetTypeOf(context.variant, asset.standard);
    const shown = { asset_type, token: tokenIn(asset), symbol: description.symbol };
    const found = { shown, places: placesOf(asset, description) };
    known.set(key, found);
    return found;
  };
  let [address, held] = ['', new Map<string, HeldAsset>()];
  const hold = async (asset: Asset, key: string, of: string): Promise<HeldAsset> => {
    // Keeps the assets of one address only. Entries are grouped by address, and the assets of all addresses would take
    // too much memory.
    if (of !== address) [address, held] = [of, new Map()];
    const { shown, places } = known.get(key) ?? (await look(asset, key));
    const found = { shown: { address, ...shown }, places };
    held.set(key, found);
    return found;
  };
  return (asset: Asset, of: string): HeldAsset | Promise<HeldAsset> => {
    const key = assetKey(asset);
    return (of === address && held.get(key)) || hold(asset, key, of);
  };
};

const assetIn = (entry: Entry) => {
  if (entry.kind === 'movement') return entry.movement.document.transfer.asset;
  return entry.kind === 'line' ? entry.line.asset : entry.asset;
};
const addressIn = (entry: Entry) => {
  if (entry.kind === 'movement') return entry.movement.address;
  return entry.kind === 'line' ? entry.line.address : entry.address;
};

const showEntry = (
  entry: Entry,
  asset: ShownAsset,
  places: number | undefined,
  of: { readonly coinPlaces: number; readonly isInTransit: (block: number) => boolean },
): ShownEntry => {
  if (entry.kind === 'opening') return { kind: 'opening', asset, balance: amountOf(entry.balance, places) };
  if (entry.kind === 'line') {
    const { line } = entry;
    const corrections = line.corrections.map(({ block, expected, found }) => ({
      block,
      amount: amountOf(found - expected, places),
    }));
    const isExplained = line.unexplained === 0n;
    return { kind: 'line', asset, amounts: amountsOf(line, places), isExplained, reasons: line.reasons, corrections };
  }
  const { document, direction, fee } = entry.movement;
  const { transfer, block_number: block, block_time: time } = document;
  const standing = of.isInTransit(block) ? 'in_transit' : 'confirmed';
  return {
    kind: 'movement',
    asset,
    amount: amountOf(BigInt(transfer.value), places),
    time,
    block,
    transaction: transfer.transaction,
    counterparty: direction === 'outgoing' ? transfer.to : transfer.from,
    direction,
    fee: amountOf(fee, of.coinPlaces),
    state: transfer.failed ? 'failed' : standing,
  };
};

/** Totals of a statement. The totals are complete after all entries of the statement were read. */
export type Counts = { movements: number; lines: number; unexplained: number };

const count = (counts: Counts, entry: ShownEntry) => {
  if (entry.kind === 'movement') counts.movements++;
  if (entry.kind !== 'line') return;
  counts.lines++;
  if (!entry.isExplained) counts.unexplained++;
};

/**
 * Yields the entries of a statement in batches, in the form that files show, and adds each entry to `counts`.
 */
export const showEntries = async function* (
  app: Pick<App, 'descriptions'>,
  context: Context,
  { family, wallet, period, entries }: Whole,
  counts: Counts,
): AsyncGenerator<readonly ShownEntry[]> {
  const coinPlaces = coinDecimals[family];
  const assets = createAssets(app, context, coinPlaces);
  const of = { coinPlaces, isInTransit: (block: number) => isInTransit(context.variant, wallet, period, block) };
  for await (const batch of entries) {
    const written: ShownEntry[] = [];
    for (const entry of batch) {
      const found = assets(assetIn(entry), addressIn(entry));
      // Skips `await` for a cached asset, because an `await` takes longer than formatting the movement.
      const { places, shown: asset } = found instanceof Promise ? await found : found;
      const shown = showEntry(entry, asset, places, of);
      count(counts, shown);
      written.push(shown);
    }
    yield written;
  }
};
