import type { Variant } from './variant.js';

/** Token standards of EVM chains. The connector of the chain reads their events and balances. */
export const tokenStandards = ['erc20', 'erc721', 'erc1155'] as const;
export type TokenStandard = (typeof tokenStandards)[number];
/** Standards of contracts that an organization may register; `token` on chains with a single token standard. */
export type RegisteredStandard = TokenStandard | 'token';

/**
 * Token of a chain with a single token standard. `contract` is the master contract of a jetton on TON, or the coin type
 * on Sui.
 */
export type ImportedToken = { readonly standard: 'token'; readonly contract: string };

/**
 * Native coin of a chain, or a token of a contract. `tokenId` is present for non-fungible and multi-token standards.
 */
export type Asset =
  | { readonly standard: 'native' }
  | ImportedToken
  | { readonly standard: 'erc20'; readonly contract: string }
  | { readonly standard: 'erc721' | 'erc1155'; readonly contract: string; readonly tokenId: string };

/** Standards whose tokens have a `tokenId`. */
export type NumberedStandard = Extract<Asset, { readonly tokenId: string }>['standard'];
export const isNumbered = (standard: Asset['standard']): standard is NumberedStandard =>
  standard === 'erc721' || standard === 'erc1155';

/** Returns a string that identifies the asset within its chain. */
export const assetKey = (asset: Asset): string => {
  if (asset.standard === 'native') return asset.standard;
  const contract = `${asset.standard}:${asset.contract}`;
  return 'tokenId' in asset ? `${contract}:${asset.tokenId}` : contract;
};

const isTokenStandard = (standard: Asset['standard']): standard is TokenStandard =>
  (tokenStandards as readonly string[]).includes(standard);

/**
 * Returns the `asset_type` of a standard on the wire. An imported token has the same type as its chain's native coin.
 */
export const assetTypeOf = ({ tag }: Variant, standard: Asset['standard']) =>
  isTokenStandard(standard) ? `ASSET_TYPE_${standard.toUpperCase()}` : `ASSET_TYPE_${tag}`;

export const standardsOf = ({ can }: Variant): readonly Asset['standard'][] =>
  can.includes('token-contracts') ? ['native', ...tokenStandards] : ['native'];

export const contractTypeOf = (standard: TokenStandard) => `CONTRACT_TYPE_${standard.toUpperCase()}`;
