import type { TransactionEvent } from '../domain/transaction.js';
import { ownScope, type Projection } from './define.js';

export const transactionStates = [
  'CREATED',
  'SIGNED',
  'SENT',
  'MINED',
  'CONFIRMED',
  'FAILED',
  'CANCELING',
  'CANCELED',
  'REPLACED',
] as const;
type TransactionState = (typeof transactionStates)[number];

export type TransactionDocument = {
  transaction_id: string;
  wallet_id: string;
  /** Empty until it is signed. */
  hash: string;
  /** Of what cancels it. */
  cancellation_hash: string;
  state: TransactionState;
  /** Somebody wants it canceled though it was sent. */
  is_canceling: boolean;
  from: string;
  to: string;
  value: string;
  gas: string;
  gas_price: string;
  data: string;
  nonce: number;
  position: number;
};

const become = (doc: TransactionDocument | null, state: TransactionState) => doc && { ...doc, state };

export const transactions: Projection<TransactionEvent, TransactionDocument> = {
  name: 'transactions',
  version: 1,
  indexes: {
    byWallet: { equal: ['wallet_id'], order: 'position' },
    bySender: { equal: ['from'], order: 'position' },
    byWalletAndSender: { equal: ['wallet_id', 'from'], order: 'position' },
    byHash: { equal: ['hash'], order: 'position' },
    byCancellation: { equal: ['cancellation_hash'], order: 'position' },
  },
  scope: ownScope,
  key: ({ data }) => data.transactionId,
  on: {
    TransactionCreated: (
      _,
      { transactionId, walletId, from, to, value, gas, gasPrice, data, nonce },
      { position },
    ) => ({
      transaction_id: transactionId,
      wallet_id: walletId,
      hash: '',
      cancellation_hash: '',
      state: 'CREATED',
      is_canceling: false,
      from,
      to,
      value,
      gas,
      gas_price: gasPrice,
      data,
      nonce,
      position,
    }),
    TransactionSigned: (doc, { hash }) => doc && { ...doc, hash, state: 'SIGNED' },
    TransactionSent: (doc) => become(doc, 'SENT'),
    TransactionTaken: (doc) => doc,
    TransactionRefused: (doc) => become(doc, 'SIGNED'),
    TransactionMined: (doc) => become(doc, 'MINED'),
    TransactionConfirmed: (doc) => become(doc, 'CONFIRMED'),
    TransactionFailed: (doc) => become(doc, 'FAILED'),
    TransactionReplaced: (doc) => become(doc, 'REPLACED'),
    TransactionDropped: (doc) => become(doc, doc?.is_canceling ? 'CANCELING' : 'SENT'),
    TransactionCancelRequested: (doc) => doc && { ...doc, state: 'CANCELING', is_canceling: true },
    CancellationSigned: (doc, { hash }) => doc && { ...doc, cancellation_hash: hash },
    CancellationSent: (doc) => doc,
    CancellationRefused: (doc) => doc,
    CancellationMined: (doc) => become(doc, 'CANCELED'),
    TransactionCanceled: (doc) => become(doc, 'CANCELED'),
    TransactionClosed: (doc) => doc,
  },
};

/** What was sent and may still change, for whoever watches it. */
export type OpenTransactionDocument = {
  transaction_id: string;
  wallet_id: string;
  chain: string;
  from: string;
  nonce: number;
  hash: string;
  /** Of what cancels it, once that was sent. */
  cancellation_hash: string;
  is_taken: boolean;
  is_canceling: boolean;
  /** It, or what took its place, is in a block that may still be replaced. */
  is_seen: boolean;
  sent_time: string;
};

const seen = (doc: OpenTransactionDocument | null) => doc && { ...doc, is_seen: true };
type OpenEvent = Exclude<TransactionEvent, { type: 'TransactionCreated' | 'TransactionSigned' | 'CancellationSigned' }>;

export const openTransactions: Projection<OpenEvent, OpenTransactionDocument> = {
  name: 'open_transactions',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => data.transactionId,
  on: {
    TransactionSent: (_, { transactionId, walletId, chain, from, nonce, hash }, { occurredAt }) => ({
      transaction_id: transactionId,
      wallet_id: walletId,
      chain,
      from,
      nonce,
      hash,
      cancellation_hash: '',
      is_taken: false,
      is_canceling: false,
      is_seen: false,
      sent_time: occurredAt,
    }),
    TransactionTaken: (doc) => doc && { ...doc, is_taken: true },
    TransactionRefused: () => null,
    TransactionMined: seen,
    CancellationMined: seen,
    TransactionReplaced: seen,
    TransactionDropped: (doc) => doc && { ...doc, is_seen: false, is_taken: false },
    TransactionCancelRequested: (doc) => doc && { ...doc, is_canceling: true },
    CancellationSent: (doc, { hash }) => doc && { ...doc, cancellation_hash: hash, is_taken: false },
    CancellationRefused: (doc) => doc && { ...doc, cancellation_hash: '' },
    TransactionConfirmed: () => null,
    TransactionFailed: () => null,
    TransactionCanceled: () => null,
    TransactionClosed: () => null,
  },
};
