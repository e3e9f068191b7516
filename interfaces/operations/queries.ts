import {
  blockRecord,
  internalTransactionRecord,
  logRecord,
  pendingTransactionRecord,
  receiptRecord,
  transactionRecord,
} from './chain-records.js';
import { operation } from './define.js';
import { exampleAnswers, exampleRequest } from './examples/queries.js';
import { address, formed, int64, list } from './schema.js';

const hashText = formed(66, 66, '^0x[0-9a-fA-F]{64}$', '0x followed by 64 hex digits');
const hash = { transaction_hash: { schema: hashText, required: true } } as const;
const byHash = () => ({ transaction_hash: exampleRequest.hash });

export const getBlock = operation({
  kind: 'query',
  name: 'GetBlock',
  summary: 'Get a block by its number.',
  surface: 'query',
  request: { block_number: { schema: int64({ minimum: 0 }), required: true } },
  example: () => ({ block_number: exampleRequest.block_number }),
  response: { block: { schema: blockRecord, required: true } },
  answerExample: exampleAnswers.block,
  handle: async ({ queries }, { block_number }, { variant }) => ({ block: await queries.block(variant, block_number) }),
});

export const getPendingTransaction = operation({
  kind: 'query',
  name: 'GetPendingTransaction',
  summary: 'Get a pending transaction by its hash. record_time is the time when it was first seen.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { pending_transaction: { schema: pendingTransactionRecord, required: true } },
  answerExample: exampleAnswers.pendingTransaction,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    pending_transaction: await queries.pendingTransaction(variant, transaction_hash),
  }),
});

export const getTransaction = operation({
  kind: 'query',
  name: 'GetTransaction',
  summary: 'Get a mined transaction by its hash.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { transaction: { schema: transactionRecord, required: true } },
  answerExample: exampleAnswers.transaction,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    transaction: await queries.transaction(variant, transaction_hash),
  }),
});

export const getTransactionReceipt = operation({
  kind: 'query',
  name: 'GetTransactionReceipt',
  summary:
    'Get the receipt of a transaction. status is 1 for success, 0 for failure, and null if the node reports none.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { transaction_receipt: { schema: receiptRecord, required: true } },
  answerExample: exampleAnswers.receipt,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    transaction_receipt: await queries.receipt(variant, transaction_hash),
  }),
});

export const listInternalTransactions = operation({
  kind: 'query',
  name: 'ListInternalTransactions',
  summary:
    'List the internal calls of a transaction, each before the calls it made. Requires a node that supports tracing.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { internal_transactions: { schema: list(internalTransactionRecord), required: true } },
  answerExample: exampleAnswers.internalTransactions,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    internal_transactions: await queries.internalTransactions(variant, transaction_hash),
  }),
});

export const listLogs = operation({
  kind: 'query',
  name: 'ListLogs',
  summary: 'List the logs of a transaction, in order.',
  surface: 'query',
  request: hash,
  example: byHash,
  response: { logs: { schema: list(logRecord), required: true } },
  answerExample: exampleAnswers.logs,
  handle: async ({ queries }, { transaction_hash }, { variant }) => ({
    logs: await queries.logs(variant, transaction_hash),
  }),
});

export const listPendingTransactions = operation({
  kind: 'query',
  name: 'ListPendingTransactions',
  summary: 'List the pending transactions of a sender by nonce, or only those with a given nonce.',
  surface: 'query',
  request: { from: { schema: address, required: true }, nonce: { schema: int64({ minimum: 0 }) } },
  example: () => ({ from: exampleRequest.from }),
  response: { pending_transactions: { schema: list(pendingTransactionRecord), required: true } },
  answerExample: exampleAnswers.pendingTransactions,
  handle: async ({ queries }, { from, nonce }, { variant }) => ({
    pending_transactions: await queries.pendingTransactions(variant, from, nonce),
  }),
});

export const listTransactions = operation({
  kind: 'query',
  name: 'ListTransactions',
  summary: 'Get up to 100 mined transactions by their hashes, in the order of the request.',
  surface: 'query',
  request: { transaction_hashes: { schema: list(hashText, { maxItems: 100 }) } },
  example: () => ({ transaction_hashes: [exampleRequest.hash] }),
  response: { transactions: { schema: list(transactionRecord), required: true } },
  answerExample: exampleAnswers.transactions,
  handle: async ({ queries }, { transaction_hashes = [] }, { variant }) => ({
    transactions: await queries.transactions(variant, transaction_hashes),
  }),
});
