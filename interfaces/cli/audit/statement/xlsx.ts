import { Deflate, Inflate, strToU8, Zip, ZipDeflate } from 'fflate';
import {
  type Amount,
  lineAmounts,
  type ShownAsset,
  type ShownEntry,
  type ShownLine,
  type ShownMovement,
} from './entries.js';
import type { Format, StatementFile } from './format.js';
import {
  type Cell,
  cellsXml,
  fixedFiles,
  rowXml,
  sheetEnd,
  sheetPath,
  sheetStart,
  workbookFiles,
} from './worksheets.js';

/** Maximum number of rows of a worksheet in common spreadsheet programs. */
const maxRows = 1_048_576;

/** Fastest compression level: the largest worksheets consist of hashes, which hardly become smaller at any level. */
const compression = { level: 1 } as const;
/** Earliest date that a zip file supports, in local time, so that the bytes depend on neither clock nor time zone. */
const fixedDate = () => new Date(1980, 0, 1);
const chunkLength = 65_536;

/**
 * Creates a buffer that collects text and writes the text in chunks, because compressing each row separately takes
 * longer.
 */
const createChunks = (write: (chunk: Uint8Array, isLast: boolean) => void) => {
  let text = '';
  return {
    add: (part: string) => {
      text += part;
      if (text.length < chunkLength) return;
      write(strToU8(text), false);
      text = '';
    },
    end: (part: string) => write(strToU8(text + part), true),
  };
};

/** Creates a zip file that is streamed while its entries are written. `take` returns the bytes since its last call. */
const createArchive = () => {
  let written: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    written.push(chunk);
  });
  const open = (path: string) => {
    const file = new ZipDeflate(path, compression);
    file.mtime = fixedDate();
    zip.add(file);
    return file;
  };
  return {
    open,
    add: (files: Readonly<Record<string, string>>) => {
      for (const [path, text] of Object.entries(files)) open(path).push(strToU8(text), true);
    },
    end: () => zip.end(),
    take: () => {
      const taken = written;
      written = [];
      return taken;
    },
  };
};
type Archive = ReturnType<typeof createArchive>;

const text = (value: string): Cell => ({ text: value });
const number = (value: string): Cell => ({ number: value });
const heading = (value: string): Cell => ({ text: value, style: 'heading' });
const assetCells = ({ address, asset_type, token, symbol }: ShownAsset) =>
  [address, asset_type, token, symbol].map(text);
const assetHeadings = ['address', 'asset_type', 'token', 'symbol'];
const amountCells = ({ decimal, units }: Amount) => [number(decimal), number(units)];
const amountHeadings = (name: string) => [name, `${name}_units`];

const secondsPerDay = 86_400;
/** Serial date of 1970-01-01 in spreadsheets. */
const epochDay = 25_569;
/** Returns a time as the serial date of spreadsheets: days with a fraction, exact to the second. */
const dayNumber = (seconds: number) => (seconds / secondsPerDay + epochDay).toFixed(9);

const movementHeadings = [
  ...assetHeadings,
  ...['time', 'block', 'transaction', 'counterparty', 'direction'],
  ...amountHeadings('amount'),
  ...amountHeadings('fee'),
  'state',
];
const movementWidths = [44, 16, 44, 10, 20, 12, 68, 44, 10, 24, 24, 24, 24, 12];
const movementCells = (movement: ShownMovement): readonly Cell[] => {
  const { time, block, transaction, counterparty, direction, amount, fee, state } = movement;
  return [
    { number: dayNumber(time), style: 'time' },
    number(String(block)),
    text(transaction),
    text(counterparty),
    text(direction),
    ...amountCells(amount),
    ...amountCells(fee),
    text(state),
  ];
};

/** Creates a writer of movements. When a worksheet is full, the movements continue in the next worksheet. */
const createMovements = (archive: Archive, rowsPerSheet: number) => {
  let [sheets, rows] = [0, rowsPerSheet];
  // Cells of each asset as XML. All movements of an asset share one `ShownAsset` object, so its XML is created only
  // once.
  const writtenAssets = new WeakMap<ShownAsset, string>();
  const assetXml = (asset: ShownAsset) => {
    const known = writtenAssets.get(asset) ?? cellsXml(assetCells(asset));
    writtenAssets.set(asset, known);
    return known;
  };
  let chunks: ReturnType<typeof createChunks> | undefined;
  const start = () => {
    chunks?.end(sheetEnd);
    sheets++;
    rows = 1;
    const file = archive.open(sheetPath(sheets + 1));
    chunks = createChunks((chunk, isLast) => file.push(chunk, isLast));
    chunks.add(sheetStart(movementWidths, 1) + rowXml(movementHeadings.map(heading)));
  };
  return {
    add: (movement: ShownMovement) => {
      if (rows === rowsPerSheet) start();
      rows++;
      chunks?.add(`<row>${assetXml(movement.asset)}${cellsXml(movementCells(movement))}</row>`);
    },
    /** Ends the last worksheet and returns the names of all movement worksheets. */
    end: () => {
      if (sheets === 0) start();
      chunks?.end(sheetEnd);
      return Array.from({ length: sheets }, (_, i) => (i === 0 ? 'Movements' : `Movements ${i + 1}`));
    },
  };
};

const summaryHeadings = [
  ...assetHeadings,
  ...lineAmounts,
  ...['reasons', 'corrections'],
  ...lineAmounts.map((name) => amountHeadings(name)[1] ?? ''),
];
const summaryWidths = [44, 16, 44, 10, ...lineAmounts.map(() => 24), 40, 40, ...lineAmounts.map(() => 24)];
const correctionText = ({ block, amount }: ShownLine['corrections'][number]) =>
  `${amount.decimal || amount.units} at block ${block}`;
const summaryRow = ({ asset, amounts, isExplained, reasons, corrections }: ShownLine) => {
  const shown = (name: (typeof lineAmounts)[number], part: keyof Amount): Cell => ({
    number: amounts[name][part],
    ...(name === 'unexplained' && !isExplained && { style: 'warning' }),
  });
  return rowXml([
    ...assetCells(asset),
    ...lineAmounts.map((name) => shown(name, 'decimal')),
    { text: reasons.join(' '), ...(!isExplained && { style: 'warning' }) },
    text(corrections.map(correctionText).join(', ')),
    ...lineAmounts.map((name) => shown(name, 'units')),
  ]);
};

/**
 * Creates a buffer that keeps the Summary worksheet in compressed form until the movements are written, because a zip
 * entry must be complete before the next entry begins.
 */
const createSummary = ({ title, facts }: StatementFile) => {
  const held: Uint8Array[] = [];
  const deflate = new Deflate(compression, (chunk) => held.push(chunk));
  const chunks = createChunks((chunk, isLast) => deflate.push(chunk, isLast));
  const rows = [
    [heading(title)],
    ...Object.entries(facts).map(([name, value]) => [heading(name), text(value)]),
    [],
    summaryHeadings.map(heading),
  ];
  chunks.add(sheetStart(summaryWidths) + rows.map(rowXml).join(''));
  return {
    add: (line: ShownLine) => chunks.add(summaryRow(line)),
    writeTo: (archive: Archive) => {
      chunks.end(sheetEnd);
      const file = archive.open(sheetPath(1));
      const inflate = new Inflate((chunk, isLast) => file.push(chunk, isLast));
      for (const [i, chunk] of held.entries()) inflate.push(chunk, i === held.length - 1);
    },
  };
};

/**
 * Creates the format for workbooks: the worksheet Summary has the balances, and the worksheet Movements has the
 * movements. Memory use grows with the number of balances, not with the number of movements.
 */
export const createXlsxFormat = (rowsPerSheet = maxRows): Format =>
  async function* (statement) {
    const archive = createArchive();
    archive.add(fixedFiles);
    const [summary, movements] = [createSummary(statement), createMovements(archive, rowsPerSheet)];
    const add = (entry: ShownEntry) => {
      if (entry.kind === 'line') summary.add(entry);
      if (entry.kind === 'movement') movements.add(entry);
    };
    for await (const batch of statement.entries) {
      for (const entry of batch) add(entry);
      yield* archive.take();
    }
    const names = movements.end();
    summary.writeTo(archive);
    archive.add(workbookFiles(['Summary', ...names]));
    archive.end();
    yield* archive.take();
  };
