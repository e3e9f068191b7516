import type { Header, Movement } from '../../../application/ports/chain.js';
import { announces, announcesLogs, bloomIn, isExplained } from '../../nodes/json-rpc/bloom.js';
import { failInvalidAnswer } from '../../nodes/node-fault.js';
import { isRaw, list, type Raw, record } from '../../nodes/raw.js';
import type { Pace } from '../../pace.js';
import type { Quirk } from './quirks/quirks.js';
import { isSystem } from './quirks/system-transactions.js';
import { header, inHex, integer } from './wire.js';

/**
 * Transaction from a node. The declared fields are validated here; all other fields are validated when they are used.
 */
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
  /** Known deviations of the network (quirks/quirks.ts) that another node must confirm before the block is accepted. */
  readonly oddities: readonly Quirk[];
};

const addressLength = 42;
/** Gas of a plain transfer (21,000), which runs no code. */
const plainGas = '0x5208';

const isAddress = (value: unknown) => typeof value === 'string' && value.length === addressLength;
const isAddressOrNone = (value: unknown) => value === null || value === undefined || isAddress(value);
const isSame = (value: unknown, expected: string) =>
  value === expected || (typeof value === 'string' && value.toLowerCase() === expected);
/**
 * Returns whether a number has the expected value. Compares numbers in canonical form as text, because parsing all of
 * the thousands of numbers in a block takes too long.
 */
const isNumber = (value: unknown, expected: number) =>
  value === inHex(expected) || integer(value, 'a number of the block') === expected;
/** Parses an index. The text of the expected index `next` is compared first, to avoid parsing. */
const indexIn = (value: unknown, next: number) => (value === inHex(next) ? next : integer(value, 'an index'));

const checkTransaction = (value: unknown, { number, hash: block }: Header): ChainTransaction => {
  if (!isRaw(value)) return failInvalidAnswer('a transaction is not an object');
  if (!isSame(value.blockHash, block) || !isNumber(value.blockNumber, number))
    failInvalidAnswer('returned a transaction of another block');
  if (typeof value.hash !== 'string' || !isAddress(value.from) || !isAddressOrNone(value.to))
    return failInvalidAnswer('returned a transaction without a valid hash, sender or receiver');
  const hash = value.hash.toLowerCase();
  return (hash === value.hash ? value : { ...value, hash }) as ChainTransaction;
};

/**
 * Checks that `value` is the requested block, with hash `asked`, and that its transactions belong to it and are in
 * order.
 */
export const checkBody = async (value: unknown, asked: string, pace: Pace): Promise<BlockBody> => {
  const raw = record(value, 'the block');
  const body: ChainTransaction[] = [];
  const read = header(raw);
  if (read.hash !== asked) failInvalidAnswer('returned another block than requested');
  let last = -1;
  for (const given of list(raw.transactions, 'the transactions of the block')) {
    const transaction = checkTransaction(given, read);
    const index = indexIn(transaction.transactionIndex, last + 1);
    if (index <= last) failInvalidAnswer('returned transactions out of order');
    last = index;
    body.push(transaction);
    if (pace.isDue()) await pace.breathe();
  }
  return { header: read, raw, transactions: body };
};

const statuses: readonly unknown[] = ['0x1', '0x0', undefined, null];
/**
 * Returns the receipt with a canonical status. Receipts from before the Byzantium fork have a state root instead of a
 * status.
 */
const withStatus = (receipt: Raw): Raw => {
  if (statuses.includes(receipt.status)) return receipt;
  const status = inHex(integer(receipt.status, 'the status of a receipt'));
  return statuses.includes(status)
    ? { ...receipt, status }
    : failInvalidAnswer('returned a receipt without a valid status');
};

const checkReceipt = (value: unknown, { hash }: ChainTransaction, block: Header): ChainReceipt => {
  if (!isRaw(value)) return failInvalidAnswer('returned no receipt for a transaction');
  if (!isSame(value.blockHash, block.hash)) failInvalidAnswer('returned a receipt of another block');
  if (!isSame(value.transactionHash, hash)) failInvalidAnswer('returned receipts out of order');
  if (!isAddressOrNone(value.contractAddress))
    failInvalidAnswer('returned a receipt with a malformed contract address');
  const logs = list(value.logs, 'the logs of a receipt');
  if (logs.length === 0 && announcesLogs(value.logsBloom))
    failInvalidAnswer('returned a receipt without the logs in its bloom filter');
  return withStatus(value) as ChainReceipt;
};

const checkLog = (log: unknown, { hash }: ChainTransaction, block: Header) => {
  if (!isRaw(log) || !isAddress(log.address)) return failInvalidAnswer('returned a log without a contract address');
  if (!isSame(log.blockHash, block.hash) || !isSame(log.transactionHash, hash) || log.removed === true)
    failInvalidAnswer('returned a log of another block or transaction');
};

/**
 * Creates a check of the log indexes of a block. Networks number logs in several ways, but always in ascending order
 * within a receipt.
 */
const createNumbering = () => {
  let next = 0;
  let isGapless = true;
  return {
    isGapless: () => isGapless,
    /** Returns the index of a log. `last` is the index of the log before it in the same receipt, or -1. */
    take: ({ logIndex }: Raw, last: number): number => {
      const index = indexIn(logIndex, next);
      if (index <= last) failInvalidAnswer('returned logs out of order');
      isGapless &&= index === next;
      next = index + 1;
      return index;
    },
  };
};

/** Returns whether a transaction only moved value, without running any code. */
export const isPlain = ({ to, input, data }: ChainTransaction, { gasUsed }: ChainReceipt) =>
  Boolean(to) && (input ?? data) === '0x' && gasUsed === plainGas;

const hashIn = (receipt: unknown) =>
  isRaw(receipt) && typeof receipt.transactionHash === 'string' ? receipt.transactionHash.toLowerCase() : '';

/** Returns the receipt of each transaction, undefined if there is none. Receipts of other transactions are ignored. */
export const receiptsFor = ({ transactions }: BlockBody, given: readonly unknown[]): readonly unknown[] => {
  const isInPlace = ({ hash }: ChainTransaction, i: number) => (given[i] as Raw | undefined)?.transactionHash === hash;
  if (given.length === transactions.length && transactions.every(isInPlace)) return given;
  const byHash = new Map(given.map((receipt) => [hashIn(receipt), receipt]));
  return transactions.map(({ hash }) => byHash.get(hash));
};

/**
 * Returns the receipts that may lack a log. If the log indexes of the block have no gaps, these are only the last
 * receipt with logs and the receipts after it.
 */
const doubtfulIn = (receipts: readonly ChainReceipt[], isGapless: boolean) =>
  isGapless
    ? receipts.slice(
        Math.max(
          receipts.findLastIndex(({ logs }) => logs.length > 0),
          0,
        ),
      )
    : receipts;

const checkBlooms = async (doubtful: readonly ChainReceipt[], pace: Pace) => {
  for (const { logs, logsBloom } of doubtful) {
    const bloom = logs.length > 0 ? bloomIn(logsBloom) : null;
    if (bloom && !(await isExplained(bloom, logs, pace)))
      failInvalidAnswer('returned a receipt without all logs in its bloom filter');
  }
};

/**
 * Returns whether the bloom filter of a receipt can reveal a missing log. An all-zero filter of a receipt with logs is
 * a placeholder and reveals nothing.
 */
const isProven = ({ logs, logsBloom }: ChainReceipt) =>
  bloomIn(logsBloom) !== null && (logs.length === 0 || announcesLogs(logsBloom));
const logsIn = (receipt: unknown) => (isRaw(receipt) && Array.isArray(receipt.logs) ? receipt.logs : []);

/**
 * Returns whether the bloom filter of the block announces logs that no receipt contains. Checked only if the block has
 * no logs or a doubtful receipt has no usable filter.
 */
const isBloomUnexplained = async (
  { raw }: BlockBody,
  given: readonly unknown[],
  doubtful: readonly ChainReceipt[],
  pace: Pace,
) => {
  const bloom = announcesLogs(raw.logsBloom) ? bloomIn(raw.logsBloom) : null;
  if (bloom === null || (doubtful.every(isProven) && given.some((receipt) => logsIn(receipt).length > 0))) return false;
  return !(await isExplained(bloom, given.flatMap(logsIn), pace));
};

/**
 * Checks the receipts against the block. The answers of a node that lags, has lost data or mixes two forks contradict
 * each other.
 */
export const checkReceipts = async (body: BlockBody, given: readonly unknown[], pace: Pace): Promise<CheckedBlock> => {
  const found = receiptsFor(body, given);
  const numbering = createNumbering();
  const receipts: ChainReceipt[] = [];
  let lastReceipt = -1;
  let runsCode = false;
  for (const [i, transaction] of body.transactions.entries()) {
    const receipt = checkReceipt(found[i], transaction, body.header);
    const index = indexIn(receipt.transactionIndex, lastReceipt + 1);
    if (index <= lastReceipt) failInvalidAnswer('returned receipts out of order');
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
  const doubtful = doubtfulIn(receipts, numbering.isGapless());
  await checkBlooms(doubtful, pace);
  const oddities: Quirk[] = numbering.isGapless() ? [] : ['log numbers with gaps'];
  if (await isBloomUnexplained(body, given, doubtful, pace)) oddities.push('bloom without logs');
  return { ...body, receipts, runsCode, oddities };
};

/**
 * Yields the log of each token transfer with the index of its transaction. The `index` of a movement contains the
 * position of its log.
 */
const logsOf = function* (
  { transactions, receipts }: CheckedBlock,
  movements: readonly Movement[],
): Iterable<readonly [ChainLog, number]> {
  const byHash = new Map(transactions.map(({ hash }, i) => [hash, i]));
  for (const { transaction, index } of movements) {
    const place = byHash.get(transaction) ?? -1;
    const [kind, position] = index.split(':');
    const log = kind === 'log' ? receipts[place]?.logs[Number(position)] : undefined;
    if (log) yield [log, place];
  }
};

/**
 * Checks that the bloom filter of the block contains the log of each given movement. If the filter lacks only logs of
 * system transactions, returns the quirk that another node must confirm.
 */
export const checkAnnounced = async (
  checked: CheckedBlock,
  movements: readonly Movement[],
  pace: Pace,
): Promise<readonly Quirk[]> => {
  const bloom = bloomIn(checked.raw.logsBloom);
  if (bloom === null || movements.every(({ index }) => !index.startsWith('log:'))) return [];
  const oddities = new Set<Quirk>();
  for (const [log, place] of new Map(logsOf(checked, movements))) {
    if (await announces(bloom, log, pace)) continue;
    if (!isSystem(checked.transactions[place] as ChainTransaction, checked.receipts[place] as ChainReceipt))
      failInvalidAnswer("returned a log that is not in the block's bloom filter");
    oddities.add('system logs outside the bloom');
  }
  return [...oddities];
};
