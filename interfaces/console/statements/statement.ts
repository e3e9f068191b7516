import { quoted } from '../../cli/command/rfc4180.js';
import type { WalletApi } from '../session/directory.js';
import { client } from '../session/session.js';
import { assetName, type ListedTransfer, listTransfer } from '../wallets/transfers.js';

/** Wallet and period of a statement, as in the query string of the page's URL. Times are ISO times. */
export type Subject = { readonly api: WalletApi; readonly wallet: string; readonly from: string; readonly to: string };

/** Amount fields of a statement line, keyed by column title. */
export const sums = {
  Opening: 'opening_balance',
  Incoming: 'incoming',
  Outgoing: 'outgoing',
  Fees: 'fees',
  'In transit': 'in_transit',
  Closing: 'closing_balance',
  Unexplained: 'unexplained',
} as const;
type Sum = (typeof sums)[keyof typeof sums];

type Line = Readonly<Record<Sum, string>> & {
  readonly address: string;
  readonly asset_type: string;
  readonly asset_metadata?: object;
  readonly reasons: readonly string[];
};
type AnyMovement = {
  readonly transfer: object;
  readonly address: string;
  readonly direction: string;
  readonly fee: string;
};

export type ListedLine = Line & { readonly asset: string };
export type ListedMovement = {
  readonly transfer: ListedTransfer;
  readonly address: string;
  readonly direction: string;
  readonly fee: string;
};
export type StatementPage = {
  readonly startBlock: number;
  readonly endBlock: number;
  /** Lines of the statement, which only the first page has. */
  readonly lines: readonly ListedLine[];
  readonly movements: readonly ListedMovement[];
  readonly next: string;
};

const secondsOf = (iso: string) => Math.floor(Date.parse(iso) / 1000);

/** Reads one page of a statement. */
export const readStatement = async (
  { api, wallet, from, to }: Subject,
  token: string,
  signal: AbortSignal,
  pageSize = 25,
): Promise<StatementPage> => {
  const period = { start_time: secondsOf(from), end_time: secondsOf(to) };
  const request = { wallet_id: wallet, ...period, page_size: pageSize, ...(token && { page_token: token }) };
  const { statement, movements, pagination } = await client[api].getStatement(request, { signal });
  return {
    startBlock: statement.start_block,
    endBlock: statement.end_block,
    lines: (statement.lines as readonly Line[]).map((line) => ({
      ...line,
      asset: assetName(line.asset_type, line.asset_metadata),
    })),
    movements: (movements as readonly AnyMovement[]).map(({ transfer, address, direction, fee }) => ({
      transfer: listTransfer(api, transfer as Readonly<Record<string, unknown>>),
      address,
      direction,
      fee,
    })),
    next: pagination.next_page_token,
  };
};

const columns = [
  'record',
  'address',
  'asset',
  'amount',
  'time',
  'direction',
  'fee',
  'from',
  'to',
  'transaction',
  'state',
];
const rowOf = (cells: readonly string[]) => `${cells.map(quoted).join(',')}\r\n`;

const lineRows = (line: ListedLine) =>
  Object.values(sums).map((sum) => {
    const reasons = sum === 'unexplained' ? line.reasons.join(' ') : '';
    return rowOf([sum, line.address, line.asset, line[sum], '', '', '', '', '', '', reasons]);
  });
const movementRow = ({ transfer, address, direction, fee }: ListedMovement) => {
  const { asset, value, time, from, to, hash, state } = transfer;
  return rowOf(['movement', address, asset, value, time, direction, fee, from, to, hash, state]);
};

/** Reads all pages of a statement as the rows of a CSV file: the sums of each line, then every movement. */
export const readCsv = async (
  subject: Subject,
  signal: AbortSignal,
  onProgress: (movements: number) => void,
): Promise<readonly string[]> => {
  const rows = [rowOf(columns)];
  let [token, count] = ['', 0];
  do {
    const { lines, movements, next } = await readStatement(subject, token, signal, 100);
    rows.push(...lines.flatMap(lineRows), ...movements.map(movementRow));
    count += movements.length;
    onProgress(count);
    token = next;
  } while (token !== '');
  return rows;
};
