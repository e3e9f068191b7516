import type { AccessListEntry, BlockRef } from '../domain/aggregates/transaction/transaction-data.js';
import type { Outcome, TransactionEvent } from '../domain/aggregates/transaction.js';
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
  /** Hash of the transaction; empty until it is signed. */
  hash: string;
  /** Hash of the cancellation; empty until it is signed. */
  cancellation_hash: string;
  state: TransactionState;
  /** True once a cancellation was requested after the transaction was sent. */
  is_canceling: boolean;
  from: string;
  to: string;
  value: string;
  gas: string;
  gas_price: string;
  /** Present in transactions of type 2 (EIP-1559), where `gas_price` is the maximum fee per gas. */
  max_priority_fee_per_gas?: string;
  data: string;
  access_list?: readonly AccessListEntry[];
  nonce: number;
  create_time: string;
  /** Time at which the transaction was last sent; null if it was not sent yet, or if nodes rejected it. */
  send_time: string | null;
  /**
   * Block that includes the transaction or its cancellation, and the fee that was paid; null while no block includes
   * either.
   */
  mined: { block: BlockRef; fee?: string } | null;
  /**
   * Reason why nodes rejected the transaction (or its cancellation, once sent), or why the transaction was reverted;
   * null if there is no such reason.
   */
  failure: string | null;
  position: number;
};

const become = (
  doc: TransactionDocument | null,
  state: TransactionState,
  change: Partial<Pick<TransactionDocument, 'send_time' | 'mined' | 'failure'>> = {},
) => doc && { ...doc, ...change, state };
const minedIn = ({ block, fee }: { block: BlockRef; fee?: string }) => ({ block, ...(fee !== undefined && { fee }) });

export const transactions: Projection<TransactionEvent, TransactionDocument> = {
  name: 'transactions',
  version: 2,
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
      { transactionId, walletId, from, to, value, gas, gasPrice, maxPriorityFeePerGas, data, accessList, nonce },
      { occurredAt, position },
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
      ...(maxPriorityFeePerGas !== undefined && { max_priority_fee_per_gas: maxPriorityFeePerGas }),
      data,
      ...(accessList && { access_list: accessList }),
      nonce,
      create_time: occurredAt,
      send_time: null,
      mined: null,
      failure: null,
      position,
    }),
    TransactionSigned: (doc, { hash }) => doc && { ...doc, hash, state: 'SIGNED' },
    TransactionSent: (doc, _, { occurredAt }) => become(doc, 'SENT', { send_time: occurredAt, failure: null }),
    TransactionTaken: (doc) => doc,
    TransactionRefused: (doc, { reason }) => become(doc, 'SIGNED', { send_time: null, failure: reason }),
    TransactionMined: (doc, { reason = null, ...at }) => become(doc, 'MINED', { mined: minedIn(at), failure: reason }),
    TransactionConfirmed: (doc) => become(doc, 'CONFIRMED'),
    TransactionFailed: (doc) => become(doc, 'FAILED'),
    TransactionReplaced: (doc) => become(doc, 'REPLACED'),
    TransactionDropped: (doc) => become(doc, doc?.is_canceling ? 'CANCELING' : 'SENT', { mined: null, failure: null }),
    TransactionCancelRequested: (doc) => doc && { ...doc, state: 'CANCELING', is_canceling: true, failure: null },
    CancellationSigned: (doc, { hash }) => doc && { ...doc, cancellation_hash: hash },
    CancellationSent: (doc) => doc && { ...doc, failure: null },
    CancellationRefused: (doc, { reason }) => doc && { ...doc, failure: reason },
    CancellationMined: (doc, at) => become(doc, 'CANCELED', { mined: minedIn(at), failure: null }),
    TransactionCanceled: (doc) => become(doc, 'CANCELED'),
    TransactionClosed: (doc) => doc,
  },
};

/**
 * Transaction that was sent, with an outcome that is unknown or may still change. The transaction watcher reads these
 * documents.
 */
export type OpenTransactionDocument = {
  transaction_id: string;
  wallet_id: string;
  chain: string;
  from: string;
  nonce: number;
  hash: string;
  /** Hash of the cancellation; empty until it is sent. */
  cancellation_hash: string;
  is_taken: boolean;
  is_canceling: boolean;
  /** Last outcome seen on the chain that a reorg may still undo; null if there is none. */
  seen: Exclude<Outcome, { kind: 'waiting' }> | null;
  /** True while the transaction counts as confirmed or failed, at the depth that its wallet requires. */
  is_ended: boolean;
  sent_time: string;
};

type Open = OpenTransactionDocument | null;
const seen = (doc: Open, outcome: OpenTransactionDocument['seen']) => doc && { ...doc, seen: outcome };
/**
 * Keeps the document of an ended transaction while a reorg may still undo its outcome, and removes the document once
 * the outcome is final.
 */
const ended = (doc: Open, { open }: { open?: true }) => (doc && open ? { ...doc, is_ended: true } : null);
type OpenEvent = Exclude<TransactionEvent, { type: 'TransactionCreated' | 'TransactionSigned' | 'CancellationSigned' }>;

export const openTransactions: Projection<OpenEvent, OpenTransactionDocument> = {
  name: 'open_transactions',
  version: 2,
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
      seen: null,
      is_ended: false,
      sent_time: occurredAt,
    }),
    TransactionTaken: (doc) => doc && { ...doc, is_taken: true },
    TransactionRefused: () => null,
    TransactionMined: (doc, { block, failed }) => seen(doc, { kind: 'mined', block, failed }),
    CancellationMined: (doc, { block }) => seen(doc, { kind: 'canceled', block }),
    TransactionReplaced: (doc) => seen(doc, { kind: 'replaced' }),
    TransactionDropped: (doc) => doc && { ...doc, seen: null, is_ended: false, is_taken: false },
    TransactionCancelRequested: (doc) => doc && { ...doc, is_canceling: true },
    CancellationSent: (doc, { hash }) => doc && { ...doc, cancellation_hash: hash, is_taken: false },
    CancellationRefused: (doc) => doc && { ...doc, cancellation_hash: '' },
    TransactionConfirmed: ended,
    TransactionFailed: ended,
    TransactionCanceled: () => null,
    TransactionClosed: () => null,
  },
};
