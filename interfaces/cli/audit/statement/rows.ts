import type { App } from '../../../../application/app.js';
import type { Describe } from '../../../../application/assets/token-descriptions.js';
import type { Context } from '../../../../application/commands/handle.js';
import type { Entry, Line } from '../../../../application/statements/lines.js';
import type { Movement } from '../../../../application/statements/movements.js';
import { type Asset, assetKey, assetTypeOf } from '../../../../domain/asset.js';
import type { Family } from '../../../../domain/variant.js';

export const columns = [
  'record',
  'address',
  'asset_type',
  'token',
  'symbol',
  'time',
  'block',
  'transaction',
  'counterparty',
  'direction',
  'amount',
  'amount_decimal',
  'fee',
  'fee_decimal',
  'state',
  'reasons',
] as const;
export type Row = Readonly<Partial<Record<(typeof columns)[number], string>>>;

/** Decimal places of each family's own coin. */
const coinDecimals: Readonly<Record<Family, number>> = { evm: 18, ton: 9, sui: 9 };

/** Writes an amount of smallest units with a decimal point; empty if the number of decimal places is unknown. */
const decimalOf = (amount: bigint, places: number | undefined) => {
  if (places === undefined) return '';
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, '0');
  const point = digits.length - places;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end--;
  const fraction = digits.slice(point, end);
  return `${amount < 0n ? '-' : ''}${digits.slice(0, point)}${fraction && `.${fraction}`}`;
};

const tokenIn = (asset: Asset) => {
  if (!('contract' in asset)) return '';
  return 'tokenId' in asset ? `${asset.contract} ${asset.tokenId}` : asset.contract;
};

/** Finds the descriptions of assets, each once. */
const createDescriptions = ({ descriptions }: App, context: Context) => {
  const known = new Map<string, ReturnType<Describe>>();
  return async (asset: Asset) => {
    const key = assetKey(asset);
    const found = known.get(key) ?? (await descriptions(context, [asset]))(asset);
    known.set(key, found);
    return found;
  };
};

const stateOf = ({ document: { transfer, block_number } }: Movement, isInTransit: (number: number) => boolean) => {
  if (transfer.failed) return 'failed';
  return isInTransit(block_number) ? 'in_transit' : 'confirmed';
};

const amountsOf = (line: Line) =>
  [
    ['incoming', line.incoming],
    ['outgoing', line.outgoing],
    ['fees', line.fees],
    ['in_transit', line.inTransit],
    ['closing', line.closing],
    ['unexplained', line.unexplained],
  ] as const;

/** Turns the entries of a statement into rows: the opening of each asset, its movements, and its sums. */
export const createRows = (
  app: App,
  context: Context,
  of: { readonly family: Family; readonly isInTransit: (number: number) => boolean },
) => {
  const coinPlaces = coinDecimals[of.family];
  const descriptionOf = createDescriptions(app, context);
  const assetCells = async (address: string, asset: Asset, amount: bigint) => {
    const { symbol, decimals } = await descriptionOf(asset);
    const isWhole = 'tokenId' in asset;
    const places = asset.standard === 'native' ? coinPlaces : isWhole ? 0 : decimals;
    return {
      address,
      asset_type: assetTypeOf(context.variant, asset.standard),
      token: tokenIn(asset),
      symbol,
      amount: String(amount),
      amount_decimal: decimalOf(amount, places),
    };
  };
  const movementRow = async (movement: Movement): Promise<Row> => {
    const { document, address, direction, fee } = movement;
    const { transfer, block_number, block_time } = document;
    return {
      record: 'movement',
      ...(await assetCells(address, transfer.asset, BigInt(transfer.value))),
      time: new Date(block_time * 1000).toISOString(),
      block: String(block_number),
      transaction: transfer.transaction,
      counterparty: direction === 'outgoing' ? transfer.to : transfer.from,
      direction,
      fee: String(fee),
      fee_decimal: decimalOf(fee, coinPlaces),
      state: stateOf(movement, of.isInTransit),
    };
  };
  return async (entry: Entry): Promise<readonly Row[]> => {
    if (entry.kind === 'movement') return [await movementRow(entry.movement)];
    if (entry.kind === 'opening')
      return [{ record: 'opening', ...(await assetCells(entry.address, entry.asset, entry.balance)) }];
    const { line } = entry;
    const cells = amountsOf(line).map(async ([record, amount]) => ({
      record,
      ...(await assetCells(line.address, line.asset, amount)),
      ...(record === 'unexplained' && { reasons: line.reasons.join(' ') }),
    }));
    return Promise.all(cells);
  };
};
