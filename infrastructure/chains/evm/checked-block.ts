import type { Header } from '../../../application/ports/chain.js';
import { wrong } from '../nodes/node-fault.js';
import type { Pace } from '../nodes/pace.js';
import { isRaw, list, type Raw, record } from '../nodes/raw.js';
import { header, inHex, integer } from './wire.js';

/** What was looked at has its type; the rest is looked at where it is used. */
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
  /** Whether any transaction may have made a contract move value. */
  readonly runsCode: boolean;
};

const addressLength = 42;
const noLogs = `0x${'0'.repeat(512)}`;
/** All that a transfer costs which runs no code. */
const plainGas = '0x5208';

const isAddress = (value: unknown) => typeof value === 'string' && value.length === addressLength;
const isAddressOrNone = (value: unknown) => value === null || value === undefined || isAddress(value);
/** Compared as texts first: a block holds thousands, nearly all as they should be. */
const isNumber = (value: unknown, expected: number) =>
  value === inHex(expected) || integer(value, 'an index') === expected;
const hasLogs = (bloom: unknown) => typeof bloom === 'string' && bloom !== noLogs;

const checkTransaction = (value: unknown, index: number, block: Raw): ChainTransaction => {
  if (!isRaw(value)) return wrong('a transaction is no object');
  if (value.blockHash !== block.hash || value.blockNumber !== block.number) wrong('a transaction of another block');
  if (!isNumber(value.transactionIndex, index)) wrong('transactions out of order');
  if (typeof value.hash !== 'string' || !isAddress(value.from) || !isAddressOrNone(value.to))
    wrong('a transaction without its hash, sender or receiver');
  return value as ChainTransaction;
};

/** The block that was asked for, with transactions that say they are its own. */
export const checkBody = async (value: unknown, asked: string, pace: Pace): Promise<BlockBody> => {
  const raw = record(value, 'the block');
  const body: ChainTransaction[] = [];
  const read = header(raw);
  if (read.hash !== asked) wrong('another block than was asked for');
  for (const [index, transaction] of list(raw.transactions, 'the transactions of the block').entries()) {
    body.push(checkTransaction(transaction, index, raw));
    if (pace.isDue()) await pace.breathe();
  }
  return { header: read, raw, transactions: body };
};

const checkReceipt = (value: unknown, index: number, { hash }: ChainTransaction, block: Raw): ChainReceipt => {
  if (!isRaw(value)) return wrong('a receipt is missing');
  if (value.blockHash !== block.hash) wrong('a receipt of another block');
  if (value.transactionHash !== hash || !isNumber(value.transactionIndex, index)) wrong('receipts out of order');
  // Before Byzantium receipts held a state root in place of a status.
  if (!['0x1', '0x0', undefined, null].includes(value.status as string)) wrong('a receipt without a status');
  if (!isAddressOrNone(value.contractAddress)) wrong('a receipt with a malformed address');
  const logs = list(value.logs, 'the logs of a receipt');
  if (logs.length === 0 && hasLogs(value.logsBloom)) wrong('a receipt without the logs that its bloom tells of');
  return value as ChainReceipt;
};

const checkLog = (log: unknown, index: number, { hash }: ChainTransaction, block: Raw) => {
  if (!isRaw(log) || !isAddress(log.address)) return wrong('a log without its contract');
  if (log.blockHash !== block.hash || log.transactionHash !== hash || log.removed === true)
    wrong('a log of another block or transaction');
  if (!isNumber(log.logIndex, index)) wrong('logs are missing or out of order');
};

const isPlain = ({ to, input, data }: ChainTransaction, { gasUsed }: ChainReceipt) =>
  Boolean(to) && (input ?? data) === '0x' && gasUsed === plainGas;

/** A node that lags, has lost part of its data or mixes two forks gives an answer that contradicts itself. */
export const checkReceipts = async (body: BlockBody, value: unknown, pace: Pace): Promise<CheckedBlock> => {
  const { raw, transactions } = body;
  const given = list(value, 'the receipts of the block');
  if (given.length !== transactions.length) wrong('not every transaction of the block has a receipt');
  const receipts: ChainReceipt[] = [];
  let logs = 0;
  let runsCode = false;
  for (const [index, transaction] of transactions.entries()) {
    const receipt = checkReceipt(given[index], index, transaction, raw);
    for (const log of receipt.logs) {
      checkLog(log, logs++, transaction, raw);
      if (pace.isDue()) await pace.breathe();
    }
    receipts.push(receipt);
    runsCode ||= !isPlain(transaction, receipt);
    if (pace.isDue()) await pace.breathe();
  }
  if (logs === 0 && hasLogs(raw.logsBloom)) wrong('a block without the logs that its bloom tells of');
  return { ...body, receipts, runsCode };
};
