import type { InternalTransactionRecord } from '../../application/queries/traces.js';
import type {
  BlockRecord,
  ExactInteger,
  LogRecord,
  PendingTransactionRecord,
  ReceiptRecord,
  TransactionRecord,
} from '../../application/queries/wire-records.js';
import { flag, list, named, openEnum, type Schema, timestamp } from './schema.js';

/** Schemas of the records in docs/specification.md#212-chain-query-records. */

/** Schema of an exact integer, possibly beyond 2^53. */
const integer: Schema<ExactInteger> = { type: 'integer', minimum: 0 };
const statusCode: Schema<ExactInteger | null> = { type: ['integer', 'null'], minimum: 0 };

const hex = (pattern: string): Schema<string> => ({ type: 'string', pattern });
const data = hex('^0x([0-9a-fA-F]{2})*$');
const quantity = hex('^0x[0-9a-fA-F]+$');
const hash = hex('^0x[0-9a-fA-F]{64}$');
const address = hex('^0x[0-9a-f]{40}$');
/** Schema of a hash that the chain may not have: an empty string is allowed in its place. */
const hashIfAny = hex('^(0x[0-9a-fA-F]{64})?$');
const addressIfAny = hex('^(0x[0-9a-f]{40})?$');
const dataIfAny = hex('^(0x([0-9a-fA-F]{2})*)?$');

export const blockRecord = named<BlockRecord>('Block', {
  block_hash: hash,
  block_number: integer,
  difficulty: integer,
  extra_data: dataIfAny,
  gas_limit: integer,
  gas_used: integer,
  logs_bloom: dataIfAny,
  miner: addressIfAny,
  mix_hash: hashIfAny,
  nonce: dataIfAny,
  parent_hash: hash,
  receipts_root: hashIfAny,
  sha3_uncles: hashIfAny,
  size: integer,
  state_root: hashIfAny,
  timestamp: integer,
  transactions_root: hashIfAny,
  uncles: list(hash),
});

const sent = {
  transaction_hash: hash,
  from: address,
  to: addressIfAny,
  gas: integer,
  gas_price: integer,
  input: data,
  nonce: integer,
  value: quantity,
  r: quantity,
  s: quantity,
  v: quantity,
};
const place = { block_number: integer, block_hash: hash, transaction_index: integer };

export const transactionRecord = named<TransactionRecord>('Transaction', { ...sent, ...place });

export const pendingTransactionRecord = named<PendingTransactionRecord>('PendingTransaction', {
  ...sent,
  record_time: timestamp,
});

export const receiptRecord = named<ReceiptRecord>('TransactionReceipt', {
  transaction_hash: hash,
  ...place,
  contract_address: addressIfAny,
  cumulative_gas_used: integer,
  from: address,
  to: addressIfAny,
  gas_used: integer,
  logs_bloom: dataIfAny,
  status: statusCode,
  effective_gas_price: integer,
});

const callTypes = ['CALL', 'DELEGATECALL', 'STATICCALL', 'CALLCODE', 'CREATE', 'CREATE2', 'SELFDESTRUCT'];

export const internalTransactionRecord = named<InternalTransactionRecord>('InternalTransaction', {
  transaction_hash: hash,
  from: addressIfAny,
  to: addressIfAny,
  gas: integer,
  gas_used: integer,
  input: data,
  output: data,
  call_type: openEnum(callTypes),
  trace_index: { type: 'integer', minimum: 0 },
  value: quantity,
  error: { type: 'string' },
});

export const logRecord = named<LogRecord>('Log', {
  transaction_hash: hash,
  address,
  data,
  topics: list(hash),
  ...place,
  log_index: integer,
  removed: flag(),
});
