import type { AccessListEntry } from '../../domain/aggregates/transaction/transaction-data.js';
import { transaction } from '../../domain/aggregates/transaction.js';
import type { AnyProjection } from '../../projections/index.js';
import { type TransactionDocument, transactions } from '../../projections/transactions.js';
import { requireReadable } from '../commands/read-aggregate.js';
import { beginning, type NewEvent } from '../ports/event-store.js';
import { eventContextOf } from '../read-models/event-context.js';

/** Managed transaction as in docs/specification.md#29-managed-transaction. */
export type TransactionRecord = {
  wallet_id: string;
  transaction_id: string;
  transaction_hash: string;
  transaction_state: string;
  from: string;
  to: string;
  value: string;
  gas: string;
  gas_price: string;
  data: string;
  nonce: string;
  /** Present in transactions of type 2 (EIP-1559), whose `gas_price` is the maximum fee. */
  max_fee_per_gas?: string;
  max_priority_fee_per_gas?: string;
  access_list?: AccessListRecord;
  create_time: string;
  send_time?: string;
  /** Time of the block, as the chain states it. Absent for transactions mined under an early release. */
  mine_time?: string;
  /** Block of the transaction or, once it is canceled, of the cancellation. */
  block_number?: number;
  block_hash?: string;
  /** Fee that was paid in the block; absent where nodes do not report it. */
  transaction_fee?: string;
  failure_reason?: string;
};
export type AccessListRecord = { address: string; storage_keys: string[] }[];

const dynamicFees = (gasPrice: string, maxPriorityFeePerGas: string | undefined) =>
  maxPriorityFeePerGas === undefined
    ? {}
    : { max_fee_per_gas: gasPrice, max_priority_fee_per_gas: maxPriorityFeePerGas };

const showAccessList = (entries: readonly AccessListEntry[]): AccessListRecord =>
  entries.map(({ address, storageKeys }) => ({ address, storage_keys: [...storageKeys] }));

const showInclusion = ({ block: { number, hash, time }, fee }: NonNullable<TransactionDocument['mined']>) => ({
  ...(time !== undefined && { mine_time: new Date(time * 1000).toISOString() }),
  block_number: number,
  block_hash: hash,
  ...(fee !== undefined && { transaction_fee: fee }),
});

export const stateOf = (state: string) => `TRANSACTION_STATE_${state.toUpperCase()}`;

export const showTransactionDocument = (document: TransactionDocument): TransactionRecord => ({
  wallet_id: document.wallet_id,
  transaction_id: document.transaction_id,
  transaction_hash: document.hash,
  transaction_state: stateOf(document.state),
  from: document.from,
  to: document.to,
  value: document.value,
  gas: document.gas,
  gas_price: document.gas_price,
  data: document.data,
  nonce: String(document.nonce),
  ...dynamicFees(document.gas_price, document.max_priority_fee_per_gas),
  ...(document.access_list && { access_list: showAccessList(document.access_list) }),
  create_time: document.create_time,
  ...(document.send_time !== null && { send_time: document.send_time }),
  ...(document.mined && showInclusion(document.mined)),
  ...(document.failure !== null && { failure_reason: document.failure }),
});

/**
 * Builds the record from the transaction's events, for responses to commands that the read models may not include yet.
 * The projection itself folds the events, so that commands and queries always agree. Null when there are no events.
 */
export const showTransaction = (past: readonly NewEvent[]): TransactionRecord | null => {
  requireReadable(transaction, past);
  const { on }: AnyProjection = transactions;
  const document = past.reduce<TransactionDocument | null>((doc, event) => {
    const about = eventContextOf({ metadata: event.metadata, position: beginning, bytes: 0 });
    return on[event.type]?.(doc, event.data, about) ?? doc;
  }, null);
  return document && showTransactionDocument(document);
};
