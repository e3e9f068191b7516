import { type Asset, assetTypeOf, contractTypeOf } from '../../domain/asset.js';
import type { TransferForm, Variant } from '../../domain/variant.js';
import type { ContractDocument } from '../../projections/contracts.js';
import type { TransferDocument, TransferState } from '../../projections/transfers.js';
import type { AssetBalance } from './assets.js';
import type { Describe } from './token-descriptions.js';

type Erc20 = { contract_address: string; name: string; symbol: string; decimals?: number };
type Token = { contract_address: string; token_id: string; token_uri: string; token_data: string };
/** docs/specification.md#token-metadata */
export type TokenMetadata = { erc20?: Erc20; erc721?: Token & { name: string; symbol: string }; erc1155?: Token };

export type AssetRecord = {
  wallet_id: string;
  address: string;
  asset_type: string;
  balance: string;
  user_friendly_address?: string;
  asset_metadata?: TokenMetadata;
};

/** What chains call a transfer's particulars, and connectors therefore put into its details. */
const particulars = [
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
type Particulars = Record<(typeof particulars)[number], string>;

/** docs/specification.md#28-transfer: what of this a record has is its form's to say. */
export type TransferRecord = {
  asset_type: string;
  from: string;
  to: string;
  value: string;
} & Partial<
  Particulars & {
    transaction_hash: string;
    transaction_digest: string;
    /** Of an imported token: its asset type is that of the chain's coin. */
    token_address: string;
    nonce: string;
    transaction_fee: string;
    transfer_state: string;
    status: string;
    block_number: number;
    block_height: number;
    block_timestamp: number;
    transfer_metadata: TokenMetadata;
  }
>;

/** docs/specification.md#210-contract */
export type ContractRecord = {
  contract_address: string;
  contract_type: string;
  contract_metadata: { name?: string; symbol?: string; decimals?: number } | null;
};

/** Keyed by token standard, empty for a chain's own coin. */
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
const statusOf = ({ failed }: ShownTransfer['transfer']) => transferStatuses[failed ? 'failed' : 'moved'];
const tokenIn = ({ asset }: ShownTransfer['transfer']) =>
  asset.standard === 'token' ? { token_address: asset.contract } : {};

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
  confirmed: ({ transfer, block_number, block_time }) => ({
    transaction_hash: transfer.transaction,
    transaction_fee: transfer.fee,
    block_height: block_number,
    block_timestamp: block_time,
  }),
  final: ({ transfer }) => ({
    transaction_digest: transfer.transaction,
    status: statusOf(transfer),
    ...tokenIn(transfer),
  }),
  'two-sided': ({ transfer }) => ({
    transaction_hash: transfer.transaction,
    transaction_fee: transfer.fee,
    status: statusOf(transfer),
    ...(Object.fromEntries(particulars.map((name) => [name, String(transfer.details[name] ?? '')])) as Particulars),
    ...tokenIn(transfer),
  }),
} satisfies Record<TransferForm, Show>;

/** What a record of each form has besides what all have. */
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
});

export const showContract = ({ contract, standard, description }: ContractDocument): ContractRecord => ({
  contract_address: contract,
  contract_type: contractTypeOf(standard),
  contract_metadata: Object.keys(description).length > 0 ? description : null,
});
