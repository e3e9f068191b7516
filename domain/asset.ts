import type { Variant } from './variant.js';

/** The token standards that are tracked; what they mean on a chain is its connector's to know. */
export const tokenStandards = ['erc20', 'erc721', 'erc1155'] as const;
export type TokenStandard = (typeof tokenStandards)[number];

/** What chains that have one kind of token call by one name: a jetton by its master, a coin by its type. */
export type ImportedToken = { readonly standard: 'token'; readonly contract: string };

/** A chain's own coin, or a token of a contract; `tokenId` where a contract's tokens differ. */
export type Asset =
  | { readonly standard: 'native' }
  | ImportedToken
  | { readonly standard: 'erc20'; readonly contract: string }
  | { readonly standard: 'erc721' | 'erc1155'; readonly contract: string; readonly tokenId: string };

/** One text per asset, to tell assets apart by. */
export const assetKey = (asset: Asset): string => {
  if (asset.standard === 'native') return asset.standard;
  const contract = `${asset.standard}:${asset.contract}`;
  return 'tokenId' in asset ? `${contract}:${asset.tokenId}` : contract;
};

const isTokenStandard = (standard: Asset['standard']): standard is TokenStandard =>
  (tokenStandards as readonly string[]).includes(standard);

/** What requests and answers call an asset's standard; imported tokens go by the name of their chain's coin. */
export const assetTypeOf = ({ tag }: Variant, standard: Asset['standard']) =>
  isTokenStandard(standard) ? `ASSET_TYPE_${standard.toUpperCase()}` : `ASSET_TYPE_${tag}`;

export const standardsOf = ({ can }: Variant): readonly Asset['standard'][] =>
  can.includes('token-contracts') ? ['native', ...tokenStandards] : ['native'];

export const contractTypeOf = (standard: TokenStandard) => `CONTRACT_TYPE_${standard.toUpperCase()}`;
