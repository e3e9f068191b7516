import type { Variant } from './variant.js';

/** Token standards that are tracked; each chain's connector knows what they mean there. */
export const tokenStandards = ['erc20', 'erc721', 'erc1155'] as const;
export type TokenStandard = (typeof tokenStandards)[number];
/** Standards of contracts that an organization may register; `token` where a chain has only one. */
export type RegisteredStandard = TokenStandard | 'token';

/** Token of a chain with only one token standard: a jetton (`contract` is its master) or a Sui coin (its type). */
export type ImportedToken = { readonly standard: 'token'; readonly contract: string };

/** Coin of a chain, or a token of a contract; `tokenId` where the tokens of a contract differ from each other. */
export type Asset =
  | { readonly standard: 'native' }
  | ImportedToken
  | { readonly standard: 'erc20'; readonly contract: string }
  | { readonly standard: 'erc721' | 'erc1155'; readonly contract: string; readonly tokenId: string };

/** Standards whose tokens have ids. */
export type NumberedStandard = Extract<Asset, { readonly tokenId: string }>['standard'];
export const isNumbered = (standard: Asset['standard']): standard is NumberedStandard =>
  standard === 'erc721' || standard === 'erc1155';

/** Returns a text that is unique to the asset. */
export const assetKey = (asset: Asset): string => {
  if (asset.standard === 'native') return asset.standard;
  const contract = `${asset.standard}:${asset.contract}`;
  return 'tokenId' in asset ? `${contract}:${asset.tokenId}` : contract;
};

const isTokenStandard = (standard: Asset['standard']): standard is TokenStandard =>
  (tokenStandards as readonly string[]).includes(standard);

/** Returns the name of a standard in requests and answers; an imported token has the name of its chain's coin. */
export const assetTypeOf = ({ tag }: Variant, standard: Asset['standard']) =>
  isTokenStandard(standard) ? `ASSET_TYPE_${standard.toUpperCase()}` : `ASSET_TYPE_${tag}`;

export const standardsOf = ({ can }: Variant): readonly Asset['standard'][] =>
  can.includes('token-contracts') ? ['native', ...tokenStandards] : ['native'];

export const contractTypeOf = (standard: TokenStandard) => `CONTRACT_TYPE_${standard.toUpperCase()}`;
