import { fail } from '../../domain/failure.js';
import { isPaddedQuantity, isRecord } from '../../domain/rpc-value.js';
import type { PendingTransaction } from '../ports/pending.js';

/** Integer as a number if a number can represent the integer exactly, otherwise as a bigint. */
export type ExactInteger = number | bigint;

/** Object in a node's response, not validated yet. */
export type Raw = Readonly<Record<string, unknown>>;

export const failInvalidAnswer = (fault: string): never => fail('NODE_ERROR', `Invalid answer of a node: ${fault}`);

export const rawRecord = (value: unknown, what: string): Raw =>
  isRecord(value) ? value : failInvalidAnswer(`${what} is not an object`);

export const quantity = (value: unknown, what: string): bigint =>
  isPaddedQuantity(value) ? BigInt(value) : failInvalidAnswer(`${what} is not a hex quantity`);

export const integer = (value: unknown, what: string): ExactInteger => {
  const exact = quantity(value, what);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
};

/** Returns 0 for a missing value. Some nodes omit fields that their chain does not use. */
const integerOrZero = (value: unknown, what: string): ExactInteger => (value == null ? 0 : integer(value, what));

/** Returns a string unchanged, and an empty string for any other value, including a missing value. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the address in lower case, because some nodes send checksummed addresses. */
export const addressText = (value: unknown): string => text(value).toLowerCase();

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);

/** Block as in docs/specification.md#212-chain-query-records. */
export type BlockRecord = {
  block_hash: string;
  block_number: ExactInteger;
  difficulty: ExactInteger;
  extra_data: string;
  gas_limit: ExactInteger;
  gas_used: ExactInteger;
  logs_bloom: string;
  miner: string;
  mix_hash: string;
  nonce: string;
  parent_hash: string;
  receipts_root: string;
  sha3_uncles: string;
  size: ExactInteger;
  state_root: string;
  timestamp: ExactInteger;
  transactions_root: string;
  uncles: string[];
};

export const showBlock = (raw: Raw): BlockRecord => ({
  block_hash: text(raw.hash),
  block_number: integer(raw.number, 'a block number'),
  difficulty: integerOrZero(raw.difficulty, 'a difficulty'),
  extra_data: text(raw.extraData),
  gas_limit: integer(raw.gasLimit, 'a gas limit'),
  gas_used: integer(raw.gasUsed, 'gas used'),
  logs_bloom: text(raw.logsBloom),
  miner: addressText(raw.miner),
  mix_hash: text(raw.mixHash),
  nonce: text(raw.nonce),
  parent_hash: text(raw.parentHash),
  receipts_root: text(raw.receiptsRoot),
  sha3_uncles: text(raw.sha3Uncles),
  size: integerOrZero(raw.size, 'a size'),
  state_root: text(raw.stateRoot),
  timestamp: integer(raw.timestamp, 'a block time'),
  transactions_root: text(raw.transactionsRoot),
  uncles: texts(raw.uncles),
});

type SentRecord = {
  transaction_hash: string;
  from: string;
  to: string;
  gas: ExactInteger;
  gas_price: ExactInteger;
  input: string;
  nonce: ExactInteger;
  value: string;
  r: string;
  s: string;
  v: string;
};
export type TransactionRecord = SentRecord & {
  block_number: ExactInteger;
  block_hash: string;
  transaction_index: ExactInteger;
};
export type PendingTransactionRecord = SentRecord & { record_time: string };

/** Signature value of rollup deposits, which are not signed. */
const unsigned = '0x0';

const showSent = (raw: Raw): SentRecord => ({
  transaction_hash: text(raw.hash),
  from: addressText(raw.from),
  to: addressText(raw.to),
  gas: integer(raw.gas, 'gas'),
  gas_price: integerOrZero(raw.gasPrice ?? raw.maxFeePerGas, 'a gas price'),
  input: text(raw.input),
  nonce: integer(raw.nonce, 'a nonce'),
  value: text(raw.value),
  r: text(raw.r) || unsigned,
  s: text(raw.s) || unsigned,
  v: text(raw.v ?? raw.yParity) || unsigned,
});

export const isIncluded = ({ blockNumber }: Raw): boolean => blockNumber != null;

export const showTransaction = (raw: Raw): TransactionRecord => ({
  ...showSent(raw),
  block_number: integer(raw.blockNumber, 'a block number'),
  block_hash: text(raw.blockHash),
  transaction_index: integer(raw.transactionIndex, 'a transaction index'),
});

/** Fields that are stored to show a pending transaction later. */
const keptFields = 'hash from to gas gasPrice maxFeePerGas input nonce value r s v yParity'.split(' ');

export const pendingIn = (raw: Raw, firstSeen: number): PendingTransaction => ({
  hash: text(raw.hash).toLowerCase(),
  from: addressText(raw.from),
  nonce: quantity(raw.nonce, 'a nonce'),
  firstSeen,
  fields: Object.fromEntries(keptFields.flatMap((field) => (raw[field] == null ? [] : [[field, text(raw[field])]]))),
});

export const showPending = ({ fields, firstSeen }: PendingTransaction): PendingTransactionRecord => ({
  ...showSent(fields),
  record_time: new Date(firstSeen).toISOString(),
});

export type ReceiptRecord = {
  transaction_hash: string;
  block_number: ExactInteger;
  block_hash: string;
  contract_address: string;
  cumulative_gas_used: ExactInteger;
  from: string;
  to: string;
  gas_used: ExactInteger;
  logs_bloom: string;
  /** Execution status; null in blocks before Byzantium, where receipts have none. */
  status: ExactInteger | null;
  transaction_index: ExactInteger;
  effective_gas_price: ExactInteger;
};

export const showReceipt = (raw: Raw, gasPrice: unknown): ReceiptRecord => ({
  transaction_hash: text(raw.transactionHash),
  block_number: integer(raw.blockNumber, 'a block number'),
  block_hash: text(raw.blockHash),
  contract_address: addressText(raw.contractAddress),
  cumulative_gas_used: integer(raw.cumulativeGasUsed, 'gas used'),
  from: addressText(raw.from),
  to: addressText(raw.to),
  gas_used: integer(raw.gasUsed, 'gas used'),
  logs_bloom: text(raw.logsBloom),
  status: raw.status == null ? null : integer(raw.status, 'a status'),
  transaction_index: integer(raw.transactionIndex, 'a transaction index'),
  effective_gas_price: integerOrZero(gasPrice, 'a gas price'),
});

export type LogRecord = {
  transaction_hash: string;
  address: string;
  data: string;
  topics: string[];
  block_number: ExactInteger;
  block_hash: string;
  transaction_index: ExactInteger;
  log_index: ExactInteger;
  removed: boolean;
};

export const showLog = (raw: Raw): LogRecord => ({
  transaction_hash: text(raw.transactionHash),
  address: addressText(raw.address),
  data: text(raw.data),
  topics: texts(raw.topics),
  block_number: integer(raw.blockNumber, 'a block number'),
  block_hash: text(raw.blockHash),
  transaction_index: integer(raw.transactionIndex, 'a transaction index'),
  log_index: integer(raw.logIndex, 'a log index'),
  removed: raw.removed === true,
});
