import type { AssetBalance } from '../../application/assets.js';
import type { Describe } from '../../application/descriptions.js';
import { type Asset, assetTypeOf, contractTypeOf } from '../../domain/asset.js';
import type { Variant } from '../../domain/variant.js';
import type { ContractDocument } from '../../projections/contracts.js';
import type { TransferDocument } from '../../projections/transfers.js';
import type { AssetRecord, ContractRecord, Metadata, TransferRecord } from './records.js';

/** SPEC 2.6: keyed by token standard, empty for a chain's own coin. */
const metadataOf = (asset: Asset, describe: Describe): Metadata => {
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

export const showTransfer = (variant: Variant, document: TransferDocument, describe: Describe): TransferRecord => {
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
