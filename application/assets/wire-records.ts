import { type Asset, assetTypeOf, contractTypeOf } from '../../domain/asset.js';
import type { TransferForm, Variant } from '../../domain/variant.js';
import type { ContractDocument } from '../../projections/contracts.js';
import type { TransferDocument, TransferState } from '../../projections/transfers.js';
import type { AssetBalance } from './assets.js';
import type { Describe } from './token-descriptions.js';

type Erc20 = { contract_address: string; name: string; symbol: string; decimals?: number };
type Token = { contract_address: string; token_id: string; token_uri: string; token_data: string };
/** Metadata as in docs/specification.md#token-metadata. */
export type TokenMetadata = { erc20?: Erc20; erc721?: Token & { name: string; symbol: string }; erc1155?: Token };
/** Metadata as in docs/specification.md#imported-token; empty for the chain's own coin. */
export type ImportedMetadata = { token_address?: string; name?: string; symbol?: string; decimals?: number };

export type AssetRecord = {
  wallet_id: string;
  address: string;
  asset_type: string;
  balance: string;
  user_friendly_address?: string;
  asset_metadata?: TokenMetadata & ImportedMetadata;
};

/** Transfer details that connectors store under the field names of `TransferRecord`. */
const detailFields = [
  'seq_no',
  'workchain',
  'shard',
  'from_user_friendly_address',
  'to_user_friendly_address',
  'message',
  'transfer_hash',
  'transfer_type',
  'bounced',
] as const;
type DetailFields = Record<(typeof detailFields)[number], string>;
/** Amount of an extra currency, other than the chain's own coin, in a transfer. */
export type ExtraCurrency = { currency_id: string; value: string };

/** Transfer as in docs/specification.md#28-transfer. `forms` determines which fields are present. */
export type TransferRecord = {
  asset_type: string;
  from: string;
  to: string;
  value: string;
} & Partial<
  DetailFields & {
    transaction_hash: string;
    transaction_digest: string;
    /** Contract of an imported token. The `asset_type` is then the type of the chain's own coin. */
    token_address: string;
    /** True when the comment is encrypted, so that only sender and receiver can read it; absent otherwise. */
    comment_encrypted: boolean;
    extra_currencies: ExtraCurrency[];
    nonce: string;
    transaction_fee: string;
    transfer_state: string;
    status: string;
    block_number: number;
    block_height: number;
    block_timestamp: number;
    transfer_metadata: TokenMetadata & ImportedMetadata;
  }
>;

/** Contract as in docs/specification.md#210-contract. */
export type ContractRecord = {
  contract_address?: string;
  contract_type?: string;
  token_address?: string;
  contract_metadata: { name?: string; symbol?: string; decimals?: number } | null;
  /** Reason why balances of the contract cannot be read, and since when; absent while they can be read. */
  balance_problem?: { reason: string; since: string };
};

/** Returns the metadata of a token on a chain with a single token standard; empty for other assets. */
const importedMetadata = (asset: Asset, describe: Describe): ImportedMetadata => {
  if (asset.standard !== 'token') return {};
  const { name, symbol, decimals } = describe(asset);
  return { token_address: asset.contract, name, symbol, ...(decimals !== undefined && { decimals }) };
};

/** Returns the metadata of an ERC token; empty for the chain's own coin and for imported tokens. */
const metadataOf = (asset: Asset, describe: Describe): TokenMetadata => {
  if (asset.standard === 'native' || asset.standard === 'token') return {};
  const { name, symbol, decimals, uri, text } = describe(asset);
  const contract_address = asset.contract;
  if (asset.standard === 'erc20')
    return { erc20: { contract_address, name, symbol, ...(decimals !== undefined && { decimals }) } };
  const token = { token_id: asset.tokenId, token_uri: uri, token_data: text };
  return asset.standard === 'erc721'
    ? { erc721: { contract_address, name, symbol, ...token } }
    : { erc1155: { contract_address, ...token } };
};

type ShownTransfer = Pick<TransferDocument, 'transfer' | 'state' | 'block_number' | 'block_time'>;
type Show = (
  document: ShownTransfer,
  describe: Describe,
) => Omit<TransferRecord, 'asset_type' | 'from' | 'to' | 'value'>;

export const transferStatuses = { moved: 'success', failed: 'failure' } as const;
const statusOf = ({ failed }: ShownTransfer['transfer']): string => transferStatuses[failed ? 'failed' : 'moved'];
const tokenIn = ({ asset }: ShownTransfer['transfer']) =>
  asset.standard === 'token' ? { token_address: asset.contract } : {};

/**
 * Returns the fields that few transfers have. Extra currencies are stored as a comma-separated list of `id=amount`.
 */
const optionalDetails = ({ details }: ShownTransfer['transfer']) => ({
  ...(details.comment_encrypted !== undefined && { comment_encrypted: true }),
  ...(details.extra_currencies !== undefined && {
    extra_currencies: String(details.extra_currencies)
      .split(',')
      .map((one): ExtraCurrency => {
        const [currency_id = '', value = ''] = one.split('=');
        return { currency_id, value };
      }),
  }),
});

const detailsOf = ({ details }: ShownTransfer['transfer']) =>
  Object.fromEntries(detailFields.map((name) => [name, String(details[name] ?? '')])) as DetailFields;

/** Returns the block fields of the transfer forms that call the height `block_height`. */
const blockFields = ({ block_number, block_time }: ShownTransfer) => ({
  block_height: block_number,
  block_timestamp: block_time,
});

const forms = {
  stateful: ({ transfer, state, block_number, block_time }, describe) => ({
    transaction_hash: transfer.transaction,
    nonce: String(transfer.details.nonce),
    transaction_fee: transfer.fee,
    transfer_state: stateOf(state),
    block_number,
    block_timestamp: block_time,
    transfer_metadata: metadataOf(transfer.asset, describe),
  }),
  confirmed: (document) => ({
    transaction_hash: document.transfer.transaction,
    transaction_fee: document.transfer.fee,
    ...blockFields(document),
  }),
  final: (document, describe) => ({
    transaction_digest: document.transfer.transaction,
    transaction_fee: document.transfer.fee,
    status: statusOf(document.transfer),
    ...blockFields(document),
    ...tokenIn(document.transfer),
    transfer_metadata: importedMetadata(document.transfer.asset, describe),
  }),
  'two-sided': (document, describe) => ({
    transaction_hash: document.transfer.transaction,
    transaction_fee: document.transfer.fee,
    status: statusOf(document.transfer),
    ...detailsOf(document.transfer),
    ...blockFields(document),
    ...tokenIn(document.transfer),
    ...optionalDetails(document.transfer),
    transfer_metadata: importedMetadata(document.transfer.asset, describe),
  }),
} satisfies Record<TransferForm, Show>;

/** Fields of each transfer form, without the fields that all forms share. */
export type TransferFields = { [F in TransferForm]: ReturnType<(typeof forms)[F]> };

export const stateOf = (state: TransferState) => `TRANSFER_STATE_${state}`;

export const showTransfer = (variant: Variant, document: ShownTransfer, describe: Describe): TransferRecord => {
  const { asset, from, to, value } = document.transfer;
  const asset_type = assetTypeOf(variant, asset.standard);
  return { asset_type, from, to, value, ...(forms[variant.transferForm] as Show)(document, describe) };
};

export const showAsset = (variant: Variant, found: AssetBalance, describe: Describe): AssetRecord => ({
  wallet_id: found.wallet_id,
  address: found.address,
  asset_type: assetTypeOf(variant, found.asset.standard),
  balance: found.balance,
  ...(variant.can.includes('friendly-address') && { user_friendly_address: found.user_friendly_address }),
  ...(variant.can.includes('token-contracts') && { asset_metadata: metadataOf(found.asset, describe) }),
  ...(variant.can.includes('token-import') && { asset_metadata: importedMetadata(found.asset, describe) }),
});

export const showContract = (
  { contract, standard, description, balance_problem }: ContractDocument,
  describe: Describe,
): ContractRecord => {
  const { name, symbol, decimals } = describe({ standard: 'token', contract });
  const own = { ...(name && { name }), ...(symbol && { symbol }), ...(decimals !== undefined && { decimals }) };
  const metadata = standard === 'token' ? own : description;
  return {
    ...(standard === 'token'
      ? { token_address: contract }
      : { contract_address: contract, contract_type: contractTypeOf(standard) }),
    contract_metadata: Object.keys(metadata).length > 0 ? metadata : null,
    ...(balance_problem && { balance_problem }),
  };
};
