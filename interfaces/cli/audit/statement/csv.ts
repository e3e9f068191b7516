import { quoted } from '../../command/rfc4180.js';
import {
  type Amount,
  isoTime,
  lineAmounts,
  type ShownAsset,
  type ShownEntry,
  type ShownLine,
  type ShownMovement,
} from './entries.js';

const assetColumns = ['address', 'asset_type', 'token', 'symbol'] as const;
const detailColumns = [
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
type Details = Readonly<Partial<Record<(typeof detailColumns)[number], string>>>;

const joined = (values: readonly string[]) => values.map(quoted).join(',');
const header = `${joined(['record', ...assetColumns, ...detailColumns])}\r\n`;

const amountCells = ({ units, decimal }: Amount) => ({ amount: units, amount_decimal: decimal });

const movementCells = (movement: ShownMovement, time: string) => {
  const { block, transaction, counterparty, direction, amount, fee, state } = movement;
  const amounts = [amount.units, amount.decimal, fee.units, fee.decimal];
  return joined([time, String(block), transaction, counterparty, direction, ...amounts, state, '']);
};

const createRows = () => {
  // Quoted cells by asset. All entries of an asset share one `ShownAsset` object, so its cells are quoted only once.
  const quotedAssets = new WeakMap<ShownAsset, string>();
  const cellsOf = (asset: ShownAsset) => {
    const known = quotedAssets.get(asset) ?? joined(assetColumns.map((column) => asset[column]));
    quotedAssets.set(asset, known);
    return known;
  };
  // Cache of the last formatted time, because all movements of a block have the same time.
  let [seconds, shownTime] = [Number.NaN, ''];
  const timeOf = ({ time }: ShownMovement) => {
    if (time !== seconds) [seconds, shownTime] = [time, isoTime(time)];
    return shownTime;
  };
  const rowOf = (record: string, asset: ShownAsset, details: Details) =>
    `"${record}",${cellsOf(asset)},${joined(detailColumns.map((column) => details[column] ?? ''))}\r\n`;

  const lineRows = ({ asset, amounts, reasons, corrections }: ShownLine) => [
    ...lineAmounts
      .filter((record) => record !== 'opening')
      .map((record) =>
        rowOf(record, asset, {
          ...amountCells(amounts[record]),
          ...(record === 'unexplained' && { reasons: reasons.join(' ') }),
        }),
      ),
    ...corrections.map(({ block, amount }) =>
      rowOf('correction', asset, { block: String(block), ...amountCells(amount) }),
    ),
  ];

  /**
   * Returns the CSV rows of an entry. An opening balance and a movement have one row each. A statement line has one row
   * for each of its sums except the opening balance, and one for each correction.
   */
  return (entry: ShownEntry): string => {
    const { asset } = entry;
    if (entry.kind === 'opening') return rowOf('opening', asset, amountCells(entry.balance));
    if (entry.kind === 'line') return lineRows(entry).join('');
    return `"movement",${cellsOf(asset)},${movementCells(entry, timeOf(entry))}\r\n`;
  };
};

const chunkLength = 65_536;

/** Writes a statement as CSV, in chunks of whole rows. */
export const writeCsv = async function* (entries: AsyncIterable<readonly ShownEntry[]>): AsyncGenerator<string> {
  const rowsOf = createRows();
  let text = header;
  for await (const batch of entries) {
    for (const entry of batch) text += rowsOf(entry);
    if (text.length < chunkLength) continue;
    yield text;
    text = '';
  }
  yield text;
};
