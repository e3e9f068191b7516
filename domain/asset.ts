import type { Variant } from './variant.js';

/**
 * Token standards of EVM chains. The EVM connector reads the events and balances of tokens of these standards.
 */
export const tokenStandards = ['erc20', 'erc721', 'erc1155'] as const;
export type TokenStandard = (typeof tokenStandards)[number];
/** Standards of contracts that an organization may register; `token` on chains with a single token standard. */
export type RegisteredStandard = TokenStandard | 'token';

type OfStandard<Standard> = {
  /** Standard of the asset: `native` is the chain's own coin, `token` a jetton on TON or a coin on Sui. */
  readonly standard: Standard;
};
type OfContract<Standard> = OfStandard<Standard> & {
  /** Address of the token contract, jetton master contract or coin type; absent for `native`. */
  readonly contract: string;
};
type Numbered<Standard> = OfContract<Standard> & {
  /** Id of the token within its contract, as a decimal number; only with `erc721` and `erc1155`. */
  readonly tokenId: string;
};

/**
 * Token on a chain with a single token standard, such as a jetton on TON. The service follows the token after it was
 * imported or its contract was registered.
 */
export type ImportedToken = OfContract<'token'>;

/** Native coin of a chain, or a token of a contract. */
export type Asset = OfStandard<'native'> | ImportedToken | OfContract<'erc20'> | Numbered<'erc721' | 'erc1155'>;

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
 * Returns the API's `asset_type` for a standard. An imported token has the same type as its chain's native coin.
 */
export const assetTypeOf = ({ tag }: Variant, standard: Asset['standard']) =>
  isTokenStandard(standard) ? `ASSET_TYPE_${standard.toUpperCase()}` : `ASSET_TYPE_${tag}`;

export const standardsOf = ({ can }: Variant): readonly Asset['standard'][] =>
  can.includes('token-contracts') ? ['native', ...tokenStandards] : ['native'];

export const contractTypeOf = (standard: TokenStandard) => `CONTRACT_TYPE_${standard.toUpperCase()}`;
