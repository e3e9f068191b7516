import { previewKinds, type TransactionPreview } from '../../application/transactions/preview.js';
import {
  type AccessListRecord,
  type TransactionRecord,
  stateOf as transactionStateOf,
} from '../../application/transactions/wire-record.js';
import { tokenStandards } from '../../domain/asset.js';
import { transactionStates } from '../../projections/transactions.js';
import { chainText, foreignText, height, stored } from './records.js';
import { address, extension, formed, id, list, named, oneOf, openEnum, type Schema, timestamp } from './schema.js';

/** Schema of an amount in the smallest unit, in decimal digits; 78 digits are enough for 256 bits. */
export const amount = formed(1, 78, '^(0|[1-9][0-9]*)$', 'an integer in decimal digits, without leading zeros');
/** Schema of a fee in the smallest unit: the product of a 64-bit amount of gas and a 256-bit price. */
const largeAmount = formed(1, 100, '^(0|[1-9][0-9]*)$', 'an integer in decimal digits, without leading zeros');

/** Schema of the access list of a transaction (docs/specification.md#access-list-entry). */
export const accessList: Schema<AccessListRecord> = list(
  named<AccessListRecord[number]>('AccessListEntry', {
    address,
    storage_keys: list(formed(66, 66, '^0x[0-9a-fA-F]{64}$', '0x followed by 64 hex digits'), { maxItems: 100 }),
  }),
  { maxItems: 100 },
);

/** Schema of a managed transaction (docs/specification.md#29-managed-transaction). */
export const transactionRecord = named<TransactionRecord>('ManagedTransaction', {
  wallet_id: stored,
  transaction_id: id,
  transaction_hash: chainText,
  transaction_state: openEnum(transactionStates.map(transactionStateOf)),
  from: chainText,
  to: chainText,
  value: chainText,
  gas: chainText,
  gas_price: chainText,
  data: foreignText,
  nonce: chainText,
  max_fee_per_gas: extension(chainText),
  max_priority_fee_per_gas: extension(chainText),
  access_list: extension(accessList),
  create_time: extension(timestamp),
  send_time: extension(timestamp),
  mine_time: extension(timestamp),
  block_number: extension(height),
  block_hash: extension(chainText),
  transaction_fee: extension(chainText),
  failure_reason: extension(foreignText),
});

type PreviewToken = NonNullable<TransactionPreview['token']>;
export const preview = named<TransactionPreview>(
  'TransactionPreview',
  {
    kind: oneOf(previewKinds),
    to: address,
    value: amount,
    token: named<PreviewToken>(
      'TokenTransfer',
      { contract_address: address, standard: oneOf(tokenStandards), token_id: amount, value: amount },
      ['token_id'],
    ),
    max_fee: largeAmount,
    balance_after: formed(1, 101, '^-?(0|[1-9][0-9]*)$', 'an integer in decimal digits, possibly negative'),
  },
  ['token', 'balance_after'],
);

export type Payload = {
  erc20?: { contract_address: string; value: string };
  erc721?: { contract_address: string; token_id: string };
  erc1155?: { contract_address: string; token_id: string; value: string };
};
export const payload: Schema<Payload> = named<Payload>(
  'TokenPayload',
  {
    erc20: named<NonNullable<Payload['erc20']>>('Erc20Payload', { contract_address: address, value: amount }),
    erc721: named<NonNullable<Payload['erc721']>>('Erc721Payload', { contract_address: address, token_id: amount }),
    erc1155: named<NonNullable<Payload['erc1155']>>('Erc1155Payload', {
      contract_address: address,
      token_id: amount,
      value: amount,
    }),
  },
  [...tokenStandards],
);
