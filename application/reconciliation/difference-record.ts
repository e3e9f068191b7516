import type { Drifted } from '../../domain/aggregates/ledger/drift.js';
import type { Variant } from '../../domain/variant.js';
import type { Describe } from '../assets/token-descriptions.js';
import { type AssetRecord, showAsset } from '../assets/wire-records.js';

export type DifferenceRecord = Pick<AssetRecord, 'address' | 'asset_type' | 'asset_metadata'> & {
  expected: string;
  found: string;
  /** Height of the final block at which the balances were compared. */
  block: number;
};

type Shown = Pick<Drifted, 'address' | 'asset' | 'expected' | 'found'> & { readonly block: number };

export const showDifference = (
  variant: Variant,
  { address, asset, expected, found, block }: Shown,
  describe: Describe,
): DifferenceRecord => {
  const balance = { wallet_id: '', address, user_friendly_address: '', asset, balance: found };
  const { asset_type, asset_metadata } = showAsset(variant, balance, describe);
  return { address, asset_type, expected, found, block, ...(asset_metadata && { asset_metadata }) };
};
