import type { QuotaRecord } from '../../application/access/quota-guard.js';
import type { RateLimitRecord } from '../../application/access/rate-limits.js';
import type {
  AssetRecord,
  ContractRecord,
  ExtraCurrency,
  ImportedMetadata,
  TokenMetadata,
  TransferFields,
  TransferRecord,
} from '../../application/assets/wire-records.js';
import type { EventRecord } from '../../application/audit/event-record.js';
import type { TransactionRecord } from '../../application/transactions/wire-record.js';
import type { AddressRecord } from '../../application/wallets/address-parser.js';
import type { WalletRecord } from '../../application/wallets/wallets.js';
import { type Role, roles } from '../../domain/aggregates/credential.js';
import { quotaNames } from '../../domain/quota.js';
import type { TransferForm, Variant } from '../../domain/variant.js';
import type { OrganizationDocument } from '../../projections/organizations.js';
import {
  extension,
  flag,
  id,
  int64,
  list,
  oneOf,
  type Properties,
  record,
  type Schema,
  text,
  timestamp,
} from './schema.js';

export const stored = text(0, 200);

const addressMapping: Schema<AddressRecord> = record<AddressRecord>({ address: stored, user_friendly_address: stored });

/** docs/specification.md#24-wallet. The fields of a wallet depend on the capabilities of the variant. */
export const walletRecord = (variant: Variant): Schema<WalletRecord> => {
  const optional = {
    ...(variant.can.includes('confirmation') && { confirmation: int64({ minimum: 0 }) }),
    ...(variant.can.includes('friendly-address') && { address_mapping: list(addressMapping) }),
  };
  return record<WalletRecord>({
    wallet_id: stored,
    name: text(1, 50),
    addresses: list(stored),
    create_time: timestamp,
    update_time: timestamp,
    ...optional,
  } as never);
};

export const pagination = record<{ next_page_token: string }>({ next_page_token: text(0, 1000) });

export const pageSize = int64({ minimum: 1, maximum: 100, default: 10 });
export const pageToken = text(0, 1000);
/** Unix seconds. The maximum, in the year 5138, is within the range of Date. */
export const unixTime = int64({ minimum: 0, maximum: 99_999_999_999 });

/** docs/specification.md#21-organization */
export const organizationRecord = record<Omit<OrganizationDocument, 'position'>>({
  organization_id: id,
  name: text(1, 100),
  domain: text(1, 50),
  create_time: timestamp,
  update_time: timestamp,
});

export const credentialName = text(1, 100);
export const credentialRecord = record<{
  api_key: string;
  role: Role;
  name?: string;
  create_time: string;
  last_used?: string;
}>({
  api_key: id,
  role: oneOf(roles),
  name: extension(credentialName),
  create_time: timestamp,
  last_used: extension(timestamp),
});

/** docs/specification.md#23-rate-limit-record */
const limit = int64({ minimum: 0 });
export const rateLimitInfo = record<RateLimitRecord['ratelimit_info']>({
  chain: text(0, 10),
  per_second_limit: limit,
  per_hour_limit: limit,
  per_day_limit: limit,
  per_month_limit: limit,
});
export const rateLimitRecord = record<RateLimitRecord>({
  organization_id: id,
  ratelimit_info: rateLimitInfo,
  create_time: timestamp,
  update_time: timestamp,
});

export const quotaRecord = record<QuotaRecord>({
  quota: oneOf(quotaNames),
  limit,
  used: int64({ minimum: 0 }),
});

export const eventRecord = record<EventRecord>({
  position: int64({ minimum: 0 }),
  commit_time: timestamp,
  occur_time: timestamp,
  event_id: id,
  stream: text(1, 1000),
  type: id,
  chain: text(0, 10),
  actor: record<EventRecord['actor']>({ kind: id, id: text(0, 1000) }),
  request_id: text(0, 1000),
  causation_id: text(0, 1000),
  correlation_id: text(0, 1000),
  data: { type: 'object' },
});

export const chainText = text(0, 200);
/** Text from a contract. Its length is limited when it is read from the chain. */
const foreignText = text(0, 1_000_000);

const coinType = text(0, 1000);

const token = {
  contract_address: chainText,
  token_id: chainText,
  token_uri: foreignText,
  token_data: foreignText,
};
const named = { name: foreignText, symbol: foreignText };
/** docs/specification.md#token-metadata */
const metadata = record<TokenMetadata>(
  {
    erc20: record<NonNullable<TokenMetadata['erc20']>>(
      { contract_address: chainText, ...named, decimals: int64({ minimum: 0 }) },
      ['decimals'],
    ),
    erc721: record<NonNullable<TokenMetadata['erc721']>>({ ...token, ...named }),
    erc1155: record<NonNullable<TokenMetadata['erc1155']>>(token),
  },
  ['erc20', 'erc721', 'erc1155'],
);

/** docs/specification.md#imported-token */
const importedMetadata = record<ImportedMetadata>(
  { token_address: coinType, ...named, decimals: int64({ minimum: 0 }) },
  ['token_address', 'name', 'symbol', 'decimals'],
);

/** docs/specification.md#26-asset */
export const assetRecord = ({ can }: Variant): Schema<AssetRecord> =>
  record<AssetRecord>({
    wallet_id: stored,
    address: stored,
    asset_type: chainText,
    balance: chainText,
    ...(can.includes('friendly-address') && { user_friendly_address: stored }),
    ...(can.includes('token-contracts') && { asset_metadata: metadata }),
    ...(can.includes('token-import') && { asset_metadata: extension(importedMetadata) }),
  } as never);

const moved = { asset_type: chainText, from: chainText, to: chainText, value: chainText };
const height = int64({ minimum: 0 });
const addedPlace = { block_height: extension(height), block_timestamp: extension(height) };

/** Fields of docs/specification.md#28-transfer for each form. The types tie them to the mapper of the form. */
const transferFields: { readonly [F in TransferForm]: Properties<TransferFields[F]> } = {
  stateful: {
    transaction_hash: chainText,
    nonce: chainText,
    transaction_fee: chainText,
    transfer_state: chainText,
    block_number: height,
    block_timestamp: height,
    transfer_metadata: metadata,
  },
  confirmed: {
    transaction_hash: chainText,
    transaction_fee: chainText,
    block_height: height,
    block_timestamp: height,
  },
  final: {
    transaction_digest: chainText,
    transaction_fee: extension(chainText),
    status: chainText,
    ...addedPlace,
    token_address: extension(coinType),
    transfer_metadata: extension(importedMetadata),
  },
  'two-sided': {
    transaction_hash: chainText,
    transaction_fee: chainText,
    seq_no: chainText,
    workchain: chainText,
    shard: chainText,
    status: chainText,
    from_user_friendly_address: chainText,
    to_user_friendly_address: chainText,
    message: foreignText,
    transfer_hash: chainText,
    transfer_type: chainText,
    bounced: chainText,
    ...addedPlace,
    token_address: extension(coinType),
    comment_encrypted: extension(flag()),
    extra_currencies: extension(list(record<ExtraCurrency>({ currency_id: chainText, value: chainText }))),
    transfer_metadata: extension(importedMetadata),
  },
};
export const transferRecord = ({ transferForm }: Variant): Schema<TransferRecord> =>
  record<TransferRecord>({ ...moved, ...transferFields[transferForm] } as never);

/** docs/specification.md#29-managed-transaction */
export const transactionRecord = record<TransactionRecord>({
  wallet_id: stored,
  transaction_id: id,
  transaction_hash: chainText,
  transaction_state: chainText,
  from: chainText,
  to: chainText,
  value: chainText,
  gas: chainText,
  gas_price: chainText,
  data: foreignText,
  nonce: chainText,
  max_fee_per_gas: extension(chainText),
  max_priority_fee_per_gas: extension(chainText),
});

/** docs/specification.md#210-contract */
export const contractRecord = ({ can }: Variant): Schema<ContractRecord> =>
  record<ContractRecord>({
    ...(can.includes('token-contracts')
      ? { contract_address: chainText, contract_type: chainText }
      : { token_address: coinType }),
    contract_metadata: {
      type: ['object', 'null'],
      properties: { ...named, decimals: int64({ minimum: 0 }) },
      additionalProperties: false,
    },
    balance_problem: extension(record({ reason: foreignText, since: timestamp })),
  } as never);
