import type { Transaction } from '../../domain/aggregates/transaction.js';
import type { TransactionDocument } from '../../projections/transactions.js';

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
};

const dynamicFees = (gasPrice: string, maxPriorityFeePerGas: string | undefined) =>
  maxPriorityFeePerGas === undefined
    ? {}
    : { max_fee_per_gas: gasPrice, max_priority_fee_per_gas: maxPriorityFeePerGas };

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
});

/** Builds the record from the transaction's events, for command responses that the read models may not include yet. */
export const showTransaction = ({ state, created, signed }: Transaction): TransactionRecord => {
  if (!created) throw new Error('Cannot show a transaction without events: its stream is empty');
  const { walletId, transactionId, from, to, value, gas, gasPrice, maxPriorityFeePerGas, data, nonce } = created;
  return {
    wallet_id: walletId,
    transaction_id: transactionId,
    transaction_hash: signed?.hash ?? '',
    transaction_state: stateOf(state),
    from,
    to,
    value,
    gas,
    gas_price: gasPrice,
    data,
    nonce: String(nonce),
    ...dynamicFees(gasPrice, maxPriorityFeePerGas),
  };
};
