import type { UnexplainedReason } from '../../../../application/statements/tallies.js';
import {
  type Amount,
  isoTime,
  type ShownAsset,
  type ShownEntry,
  type ShownLine,
  type ShownMovement,
} from './entries.js';
import type { Format, StatementFile } from './format.js';
import type { Pages } from './pdf-pages.js';

/** Explanations of the reasons for unexplained amounts, for readers without the documentation. */
const reasonTexts: Readonly<Record<UnexplainedReason, string>> = {
  before_registration: 'registered during the period, with a balance from before',
  untraced_internal_transfer: 'a contract paid the address on a chain whose nodes cannot trace',
  rebasing_token: 'the contract of the token changed the balance without a transfer, or took a part of a transfer',
  unreadable_block: 'a block of the period could not be read',
  withdrawal: 'the network paid a withdrawal',
  block_reward: 'the network paid a block reward',
  system_transaction: 'the network itself changed the balance',
  wrapped_coins: 'a contract wrapped or unwrapped coins without a transfer',
  fee_not_recorded: 'a fee was paid before fees were recorded',
  balance_drifted: 'reconciliation found another balance on the chain and corrected the stored one',
  unknown: 'no reason is known',
};

const shownAmount = ({ decimal, units }: Amount, symbol: string) =>
  `${decimal === '' ? `${units} smallest units` : decimal}${symbol && ` ${symbol}`}`;
const nameOf = ({ symbol, asset_type, token }: ShownAsset) => [symbol, asset_type, token].filter(Boolean).join('  ');

const [timeWidth, blockWidth, directionWidth, amountWidth] = [21, 12, 10, 44];

const movementRows = ({ asset, ...movement }: ShownMovement): readonly [string, string] => {
  const { time, block, direction, amount, fee, state, counterparty, transaction } = movement;
  const cells = [
    isoTime(time).slice(0, 19).replace(/T/, ' ').padEnd(timeWidth),
    String(block).padEnd(blockWidth),
    direction.padEnd(directionWidth),
    shownAmount(amount, asset.symbol || asset.token || asset.asset_type).padEnd(amountWidth),
    (fee.units === '0' ? '' : ` fee ${fee.decimal}`).padEnd(32),
    state === 'confirmed' ? '' : state.replace('_', ' '),
  ];
  const other = counterparty && `${direction === 'outgoing' ? 'to' : 'from'} ${counterparty}  `;
  return [cells.join('').trimEnd(), `${' '.repeat(timeWidth)}${other}in ${transaction}`];
};

const lineLabels = [
  ['opening', 'Opening balance'],
  ['incoming', '+ Incoming'],
  ['outgoing', '- Outgoing'],
  ['fees', '- Fees'],
  ['closing', 'Closing balance'],
  ['in_transit', '  in transit'],
] as const;
const labelWidth = 20;

const writeLine = (pages: Pages, { asset, amounts, isExplained, reasons, corrections }: ShownLine) => {
  pages.space(4, lineLabels.length + 2 + reasons.length + corrections.length);
  pages.row(nameOf(asset), 2, { isBold: true });
  for (const [name, label] of lineLabels)
    pages.row(`  ${label.padEnd(labelWidth)}${shownAmount(amounts[name], asset.symbol)}`, labelWidth + 2);
  const unexplained = `  ${'Unexplained'.padEnd(labelWidth)}${shownAmount(amounts.unexplained, asset.symbol)}`;
  if (isExplained) return pages.row(unexplained, labelWidth + 2);
  pages.row(unexplained, labelWidth + 2, { colour: 'warning', isBold: true });
  for (const reason of reasons)
    pages.row(`${' '.repeat(labelWidth + 2)}${reason}: ${reasonTexts[reason]}`, labelWidth + 4, { colour: 'warning' });
  for (const { block, amount } of corrections) {
    const text = `corrected by ${shownAmount(amount, asset.symbol)} at block ${block}`;
    pages.row(`${' '.repeat(labelWidth + 2)}${text}`, labelWidth + 4, { colour: 'warning' });
  }
};

/**
 * Creates a function that writes entries in their order, with a heading where another address or another kind of entry
 * begins.
 */
const createBody = (pages: Pages) => {
  let [address, kind] = ['', ''];
  const beginAddress = (entry: ShownEntry) => {
    if (entry.asset.address === address) return;
    [address, kind] = [entry.asset.address, ''];
    pages.space(14, 6);
    pages.paragraph(`Address ${address}`, { size: 11, isBold: true });
  };
  const beginKind = (entry: ShownEntry, name: string) => {
    if (entry.kind === kind) return;
    kind = entry.kind;
    pages.space(6, 3);
    pages.paragraph(name, { size: 9, isBold: true, colour: 'quiet' });
    pages.space(2, 2);
  };
  return (entry: ShownEntry) => {
    beginAddress(entry);
    if (entry.kind === 'opening') return;
    if (entry.kind === 'line') {
      beginKind(entry, 'Balances');
      return writeLine(pages, entry);
    }
    beginKind(entry, 'Movements (UTC, block, direction, amount, fee)');
    const [first, second] = movementRows(entry);
    pages.space(0, 2);
    pages.row(first, timeWidth);
    pages.row(second, timeWidth, { colour: 'quiet' });
  };
};

const writeHead = (pages: Pages, { title, facts }: StatementFile) => {
  pages.paragraph(title, { size: 18, isBold: true });
  pages.space(6, 0);
  for (const [name, value] of Object.entries(facts)) pages.paragraph(`${name}: ${value}`, { size: 10 });
  pages.space(6, 0);
  const notes =
    'Unexplained = closing balance - opening balance - incoming + outgoing + fees. Amounts that movements and fees do not explain are red, with their reasons. Characters that the fonts of this file lack are shown by their codes, such as [U+4E2D].';
  pages.paragraph(notes, { size: 8, colour: 'quiet' });
};
const writeResult = (pages: Pages, { counts }: StatementFile) => {
  const { movements, lines, unexplained } = counts;
  pages.space(16, 3);
  pages.paragraph('Result', { size: 11, isBold: true });
  pages.paragraph(`Movements: ${movements}. Balances: ${lines}.`, { size: 10 });
  const [text, colour] =
    unexplained === 0
      ? (['Every balance is explained by movements and fees.', 'text'] as const)
      : ([`Balances with an unexplained amount: ${unexplained}.`, 'warning'] as const);
  pages.paragraph(text, { size: 10, isBold: true, colour });
};

/** Writes a statement as a PDF for people: for each address its movements, then its balances. */
export const writePdf: Format = async function* (statement) {
  // Imports pdfkit on demand, because loading it takes longer than most commands take to run.
  const { createPages } = await import('./pdf-pages.js');
  const { title, facts, endTime } = statement;
  const running = `${title}, ${facts.Period ?? ''}`;
  const pages = createPages({ title, running, date: new Date(endTime * 1000) });
  writeHead(pages, statement);
  const write = createBody(pages);
  for await (const batch of statement.entries) {
    for (const entry of batch) write(entry);
    yield* pages.take();
  }
  writeResult(pages, statement);
  pages.end();
  yield* pages.take();
};
