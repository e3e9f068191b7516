import { type Asset, assetTypeOf, contractTypeOf } from '../domain/asset.js';
import type { Variant } from '../domain/variant.js';
import type { ContractDocument } from '../projections/contracts.js';
import type { TransferDocument } from '../projections/transfers.js';
import type { AssetBalance } from './assets.js';
import type { Describe } from './descriptions.js';

type Erc20 = { contract_address: string; name: string; symbol: string; decimals?: number };
type Token = { contract_address: string; token_id: string; token_uri: string; token_data: string };
/** SPEC 2.6 */
export type TokenMetadata = { erc20?: Erc20; erc721?: Token & { name: string; symbol: string }; erc1155?: Token };

export type AssetRecord = {
  wallet_id: string;
  address: string;
  asset_type: string;
  balance: string;
  asset_metadata: TokenMetadata;
};

/** SPEC 2.8, C */
export type TransferRecord = {
  transaction_hash: string;
  asset_type: string;
  nonce: string;
  from: string;
  to: string;
  value: string;
  transaction_fee: string;
  transfer_state: string;
  block_number: number;
  block_timestamp: number;
  transfer_metadata: TokenMetadata;
};

/** SPEC 2.10 */
export type ContractRecord = {
  contract_address: string;
  contract_type: string;
  contract_metadata: { name?: string; symbol?: string; decimals?: number } | null;
};

/** Keyed by token standard, empty for a chain's own coin. */
const metadataOf = (asset: Asset, describe: Describe): TokenMetadata => {
  if (asset.standard === 'native') return {};
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

export const showTransfer = (variant: Variant, document: ShownTransfer, describe: Describe): TransferRecord => {
  const { transfer, state, block_number, block_time } = document;
  const { transaction, asset, from, to, value, fee, details } = transfer;
  return {
    transaction_hash: transaction,
    asset_type: assetTypeOf(variant, asset.standard),
    nonce: String(details.nonce),
    from,
    to,
    value,
    transaction_fee: fee,
    transfer_state: `TRANSFER_STATE_${state}`,
    block_number,
    block_timestamp: block_time,
    transfer_metadata: metadataOf(asset, describe),
  };
};

export const showAsset = (variant: Variant, found: AssetBalance, describe: Describe): AssetRecord => ({
  wallet_id: found.wallet_id,
  address: found.address,
  asset_type: assetTypeOf(variant, found.asset.standard),
  balance: found.balance,
  asset_metadata: metadataOf(found.asset, describe),
});

export const showContract = ({ contract, standard, description }: ContractDocument): ContractRecord => ({
  contract_address: contract,
  contract_type: contractTypeOf(standard),
  contract_metadata: Object.keys(description).length > 0 ? description : null,
});
