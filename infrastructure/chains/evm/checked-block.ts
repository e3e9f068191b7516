import type { Header, Movement } from '../../../application/ports/chain.js';
import { announces, announcesLogs, bloomIn, isExplained } from '../../nodes/json-rpc/bloom.js';
import { failInvalidAnswer } from '../../nodes/node-fault.js';
import { isRaw, list, type Raw, record } from '../../nodes/raw.js';
import type { Pace } from '../../pace.js';
import type { Quirk } from './quirks/quirks.js';
import { isSystem } from './quirks/system-transactions.js';
import { header, inHex, integer } from './wire.js';

/** A transaction whose typed fields were checked; other fields are checked where they are used. */
export type ChainTransaction = Raw & { readonly hash: string; readonly from: string; readonly to: string | null };
export type ChainLog = Raw & { readonly address: string };
export type ChainReceipt = Raw & { readonly contractAddress: string | null; readonly logs: readonly ChainLog[] };

export type BlockBody = {
  readonly header: Header;
  readonly raw: Raw;
  readonly transactions: readonly ChainTransaction[];
};
export type CheckedBlock = BlockBody & {
  readonly receipts: readonly ChainReceipt[];
  /** True if any transaction may have made a contract move value. */
  readonly runsCode: boolean;
  /** Quirk for which another node is asked, before the block is believed; null if the block has none. */
  readonly oddity: Quirk | null;
};

const addressLength = 42;
/** Gas of a transfer that runs no code. */
const plainGas = '0x5208';

const isAddress = (value: unknown) => typeof value === 'string' && value.length === addressLength;
const isAddressOrNone = (value: unknown) => value === null || value === undefined || isAddress(value);
const isSame = (value: unknown, expected: string) =>
  value === expected || (typeof value === 'string' && value.toLowerCase() === expected);
/** Compares the texts first, because a block holds thousands of numbers and nearly all are in the usual form. */
const isNumber = (value: unknown, expected: number) =>
  value === inHex(expected) || integer(value, 'a number of the block') === expected;
/** Reads an index; `next` is the one that comes in a list without gaps, whose text is compared for the same reason. */
const indexIn = (value: unknown, next: number) => (value === inHex(next) ? next : integer(value, 'an index'));

const checkTransaction = (value: unknown, { number, hash: block }: Header): ChainTransaction => {
  if (!isRaw(value)) return failInvalidAnswer('a transaction is no object');
  if (!isSame(value.blockHash, block) || !isNumber(value.blockNumber, number))
    failInvalidAnswer('a transaction of another block');
  if (typeof value.hash !== 'string' || !isAddress(value.from) || !isAddressOrNone(value.to))
    return failInvalidAnswer('a transaction without its hash, sender or receiver');
  const hash = value.hash.toLowerCase();
  return (hash === value.hash ? value : { ...value, hash }) as ChainTransaction;
};

/** Checks that this is the requested block and that its transactions name it as theirs. */
export const checkBody = async (value: unknown, asked: string, pace: Pace): Promise<BlockBody> => {
  const raw = record(value, 'the block');
  const body: ChainTransaction[] = [];
  const read = header(raw);
  if (read.hash !== asked) failInvalidAnswer('another block than was asked for');
  let last = -1;
  for (const given of list(raw.transactions, 'the transactions of the block')) {
    const transaction = checkTransaction(given, read);
    const index = indexIn(transaction.transactionIndex, last + 1);
    if (index <= last) failInvalidAnswer('transactions out of order');
    last = index;
    body.push(transaction);
    if (pace.isDue()) await pace.breathe();
  }
  return { header: read, raw, transactions: body };
};

const statuses: readonly unknown[] = ['0x1', '0x0', undefined, null];
/** Returns the receipt with its status in the usual form; receipts from before Byzantium have a state root instead. */
const withStatus = (receipt: Raw): Raw => {
  if (statuses.includes(receipt.status)) return receipt;
  const status = inHex(integer(receipt.status, 'the status of a receipt'));
  return statuses.includes(status) ? { ...receipt, status } : failInvalidAnswer('a receipt without a status');
};

const checkReceipt = (value: unknown, { hash }: ChainTransaction, block: Header): ChainReceipt => {
  if (!isRaw(value)) return failInvalidAnswer('a receipt is missing');
  if (!isSame(value.blockHash, block.hash)) failInvalidAnswer('a receipt of another block');
  if (!isSame(value.transactionHash, hash)) failInvalidAnswer('receipts out of order');
  if (!isAddressOrNone(value.contractAddress)) failInvalidAnswer('a receipt with a malformed address');
  const logs = list(value.logs, 'the logs of a receipt');
  if (logs.length === 0 && announcesLogs(value.logsBloom))
    failInvalidAnswer('a receipt without the logs that its bloom announces');
  return withStatus(value) as ChainReceipt;
};

const checkLog = (log: unknown, { hash }: ChainTransaction, block: Header) => {
  if (!isRaw(log) || !isAddress(log.address)) return failInvalidAnswer('a log without its contract');
  if (!isSame(log.blockHash, block.hash) || !isSame(log.transactionHash, hash) || log.removed === true)
    failInvalidAnswer('a log of another block or transaction');
};

/** Numbers of the logs of a block: networks number them in several ways, but always rising within a receipt. */
const createNumbering = () => {
  let next = 0;
  let isGapless = true;
  return {
    isGapless: () => isGapless,
    /** Takes the number of a log, which follows `last` in its receipt, and returns that number. */
    take: ({ logIndex }: Raw, last: number): number => {
      const index = indexIn(logIndex, next);
      if (index <= last) failInvalidAnswer('logs out of order');
      isGapless &&= index === next;
      next = index + 1;
      return index;
    },
  };
};

/** Tells whether a transaction only moved value, without running any code. */
export const isPlain = ({ to, input, data }: ChainTransaction, { gasUsed }: ChainReceipt) =>
  Boolean(to) && (input ?? data) === '0x' && gasUsed === plainGas;

const hashIn = (receipt: unknown) =>
  isRaw(receipt) && typeof receipt.transactionHash === 'string' ? receipt.transactionHash.toLowerCase() : '';

/** Returns the receipt of each transaction, undefined where there is none; receipts of others are ignored. */
export const receiptsFor = ({ transactions }: BlockBody, given: readonly unknown[]): readonly unknown[] => {
  const isInPlace = ({ hash }: ChainTransaction, i: number) => (given[i] as Raw | undefined)?.transactionHash === hash;
  if (given.length === transactions.length && transactions.every(isInPlace)) return given;
  const byHash = new Map(given.map((receipt) => [hashIn(receipt), receipt]));
  return transactions.map(({ hash }) => byHash.get(hash));
};

/**
 * Checks that no receipt lost a log. Numbers without a gap prove it, except at the end of the block; where a network
 * numbers in another way, every bloom is held against its logs.
 */
const checkBlooms = async (receipts: readonly ChainReceipt[], isGapless: boolean, pace: Pace) => {
  const doubtful = receipts.filter(({ logs }) => logs.length > 0).slice(isGapless ? -1 : 0);
  for (const { logs, logsBloom } of doubtful) {
    const bloom = bloomIn(logsBloom);
    if (bloom && !(await isExplained(bloom, logs, pace)))
      failInvalidAnswer('a receipt without all logs that its bloom announces');
  }
};

const hasLogs = (receipt: unknown) => isRaw(receipt) && Array.isArray(receipt.logs) && receipt.logs.length > 0;
const oddityOfBloom = ({ raw }: BlockBody, given: readonly unknown[]) =>
  announcesLogs(raw.logsBloom) && !given.some(hasLogs) ? 'bloom without logs' : null;

/** Checks the receipts against the block: a node that lags, lost data or mixes two forks contradicts itself. */
export const checkReceipts = async (body: BlockBody, given: readonly unknown[], pace: Pace): Promise<CheckedBlock> => {
  const found = receiptsFor(body, given);
  const numbering = createNumbering();
  const receipts: ChainReceipt[] = [];
  let lastReceipt = -1;
  let runsCode = false;
  for (const [i, transaction] of body.transactions.entries()) {
    const receipt = checkReceipt(found[i], transaction, body.header);
    const index = indexIn(receipt.transactionIndex, lastReceipt + 1);
    if (index <= lastReceipt) failInvalidAnswer('receipts out of order');
    lastReceipt = index;
    let lastLog = -1;
    for (const log of receipt.logs) {
      checkLog(log, transaction, body.header);
      lastLog = numbering.take(log, lastLog);
      if (pace.isDue()) await pace.breathe();
    }
    receipts.push(receipt);
    runsCode ||= !isPlain(transaction, receipt);
    if (pace.isDue()) await pace.breathe();
  }
  await checkBlooms(receipts, numbering.isGapless(), pace);
  const oddity = numbering.isGapless() ? oddityOfBloom(body, given) : 'log numbers with gaps';
  return { ...body, receipts, runsCode, oddity };
};

/** Finds the logs of token transfers; their index names the place of the log in its receipt. */
const logsOf = function* (
  { transactions, receipts }: CheckedBlock,
  movements: readonly Movement[],
): Iterable<ChainLog> {
  const byHash = new Map(transactions.map(({ hash }, i) => [hash, i]));
  for (const { transaction, index } of movements) {
    const place = byHash.get(transaction) ?? -1;
    const [kind, position] = index.split(':');
    const log = kind === 'log' ? receipts[place]?.logs[Number(position)] : undefined;
    // Blooms leave out the logs of transactions that the network itself made.
    if (log && !isSystem(transactions[place] as ChainTransaction, receipts[place] as ChainReceipt)) yield log;
  }
};

/** Checks that the bloom of the block announces the logs of token transfers; the others concern nobody. */
export const checkAnnounced = async (checked: CheckedBlock, movements: readonly Movement[], pace: Pace) => {
  const bloom = bloomIn(checked.raw.logsBloom);
  if (bloom === null || movements.every(({ index }) => !index.startsWith('log:'))) return;
  for (const log of new Set(logsOf(checked, movements)))
    if (!(await announces(bloom, log, pace))) failInvalidAnswer('a log that the bloom of the block does not announce');
};
