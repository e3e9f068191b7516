import { blockText, type Sentences } from './sentence.js';

type TransactionType =
  | 'TransactionCreated'
  | 'TransactionSigned'
  | 'TransactionSent'
  | 'TransactionTaken'
  | 'TransactionRefused'
  | 'TransactionMined'
  | 'TransactionConfirmed'
  | 'TransactionFailed'
  | 'TransactionReplaced'
  | 'TransactionDropped'
  | 'TransactionCancelRequested'
  | 'CancellationSigned'
  | 'CancellationSent'
  | 'CancellationRefused'
  | 'CancellationMined'
  | 'TransactionCanceled'
  | 'TransactionClosed'
  | 'NonceHeld'
  | 'NonceReleased';

/** Functions that describe an event of a managed transaction in a sentence, keyed by event type. */
export const transactionSentences: Sentences<TransactionType> = {
  TransactionCreated: ({ transactionId, walletId, value, from, to }, names) =>
    `created transaction ${transactionId} of ${value} units from ${from} to ${to} for wallet ${names.wallet(walletId)}`,
  TransactionSigned: ({ transactionId }) => `signed transaction ${transactionId}`,
  TransactionSent: ({ transactionId, hash }) => `sent transaction ${transactionId} with the hash ${hash}`,
  TransactionTaken: ({ transactionId }) => `found that a node accepted transaction ${transactionId}`,
  TransactionRefused: ({ transactionId, reason }) =>
    `found that nodes rejected transaction ${transactionId}: ${reason}`,
  TransactionMined: ({ transactionId, block }) => `saw transaction ${transactionId} in ${blockText(block)}`,
  TransactionConfirmed: ({ transactionId, block }) => `confirmed transaction ${transactionId} in ${blockText(block)}`,
  TransactionFailed: ({ transactionId, block }) => `saw transaction ${transactionId} fail in ${blockText(block)}`,
  TransactionReplaced: ({ transactionId }) => `found that another transaction replaced ${transactionId}`,
  TransactionDropped: ({ transactionId }) => `found that a reorg removed transaction ${transactionId}`,
  TransactionCancelRequested: ({ transactionId }) => `asked to cancel transaction ${transactionId}`,
  CancellationSigned: ({ transactionId }) => `signed the cancellation of transaction ${transactionId}`,
  CancellationSent: ({ transactionId, hash }) => `sent the cancellation of transaction ${transactionId} as ${hash}`,
  CancellationRefused: ({ transactionId, reason }) =>
    `found that nodes rejected the cancellation of transaction ${transactionId}: ${reason}`,
  CancellationMined: ({ transactionId, block }) =>
    `saw the cancellation of transaction ${transactionId} in ${blockText(block)}`,
  TransactionCanceled: ({ transactionId }) => `canceled transaction ${transactionId}`,
  TransactionClosed: ({ transactionId }) => `stopped watching transaction ${transactionId}`,
  NonceHeld: ({ nonce, from, transactionId }) => `reserved nonce ${nonce} of ${from} for transaction ${transactionId}`,
  NonceReleased: ({ nonce, from, transactionId }) =>
    `released nonce ${nonce} of ${from}, held for transaction ${transactionId}`,
};
