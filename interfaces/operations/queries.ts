import {
  blockRecord,
  internalTransactionRecord,
  logRecord,
  pendingTransactionRecord,
  receiptRecord,
  transactionRecord,
} from './chain-records.js';
import { operation } from './define.js';
import { answers, asked } from './query-examples.js';
import { address, formed, int64, list } from './schema.js';

const hashText = formed(66, 66, '^0x[0-9a-fA-F]{64}$', '0x and 64 hex digits');
const hash = { transaction_hash: { schema: hashText, required: true } } as const;
const byHash = () => ({ transaction_hash: asked.hash });

export const getBlock = operation({
  kind: 'query',
  name: 'GetBlock',
  summary: 'A block, by its number.',
  surface: 'query',
  request: { block_number: { schema: int64({ minimum: 0 }), required: true } },
  example: () => ({ block_number: asked.block_number }),
  response: { block: { schema: blockRecord, required: true } },
  answerExample: answers.block,
  handle: async ({ queries }, { block_number }, { variant }) => ({ block: await queries.block(variant, block_number) }),
});

export const getPendingTransaction = operation({
  kind: 'query',
  name: 'GetPendingTransaction',
  summary: 'A transaction that waits to be included in a block; record_time is when it was first seen.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { pending_transaction: { schema: pendingTransactionRecord, required: true } },
  answerExample: answers.pendingTransaction,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    pending_transaction: await queries.pendingTransaction(variant, transaction_hash),
  }),
});

export const getTransaction = operation({
  kind: 'query',
  name: 'GetTransaction',
  summary: 'A transaction that a block includes.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { transaction: { schema: transactionRecord, required: true } },
  answerExample: answers.transaction,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    transaction: await queries.transaction(variant, transaction_hash),
  }),
});

export const getTransactionReceipt = operation({
  kind: 'query',
  name: 'GetTransactionReceipt',
  summary: 'What came of a transaction. Its status is 1 or 0, and null where the chain did not tell it yet.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { transaction_receipt: { schema: receiptRecord, required: true } },
  answerExample: answers.receipt,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    transaction_receipt: await queries.receipt(variant, transaction_hash),
  }),
});

export const listInternalTransactions = operation({
  kind: 'query',
  name: 'ListInternalTransactions',
  summary: 'What contracts called within a transaction, each call before those it made. Needs a node that can trace.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { internal_transactions: { schema: list(internalTransactionRecord), required: true } },
  answerExample: answers.internalTransactions,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    internal_transactions: await queries.internalTransactions(variant, transaction_hash),
  }),
});

export const listLogs = operation({
  kind: 'query',
  name: 'ListLogs',
  summary: 'The logs of a transaction, in order.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { logs: { schema: list(logRecord), required: true } },
  answerExample: answers.logs,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    logs: await queries.logs(variant, transaction_hash),
  }),
});

export const listPendingTransactions = operation({
  kind: 'query',
  name: 'ListPendingTransactions',
  summary: 'The transactions of a sender that wait to be included, in order of their nonces, or those with one nonce.',
  surface: 'query',
  request: { from: { schema: address, required: true }, nonce: { schema: int64({ minimum: 0 }) } },
  example: () => ({ from: asked.from }),
  response: { pending_transactions: { schema: list(pendingTransactionRecord), required: true } },
  answerExample: answers.pendingTransactions,
  handle: async ({ queries }, { from, nonce }, { variant }) => ({
    pending_transactions: await queries.pendingTransactions(variant, from, nonce),
  }),
});

export const listTransactions = operation({
  kind: 'query',
  name: 'ListTransactions',
  summary: 'Up to 100 transactions by their hashes: those that blocks include, in the order asked for.',
  surface: 'query',
  request: { transaction_hashes: { schema: list(hashText, { maxItems: 100 }) } },
  example: () => ({ transaction_hashes: [asked.hash] }),
  response: { transactions: { schema: list(transactionRecord), required: true } },
  answerExample: answers.transactions,
  handle: async ({ queries }, { transaction_hashes = [] }, { variant }) => ({
    transactions: await queries.transactions(variant, transaction_hashes),
  }),
});
