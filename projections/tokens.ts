import type { TokenEvent } from '../domain/aggregates/token.js';
import type { TokenDescription } from '../domain/token-description.js';
import { ownScope, type Projection } from './define.js';

export type TokenDocument = { uri: string; text: string; description?: TokenDescription };

/** Returns the id of a token's document; `tokenId` is empty for fungible tokens. */
export const tokenKey = (contract: string, tokenId: string) => `${contract}|${tokenId}`;

export const tokens: Projection<TokenEvent, TokenDocument> = {
  name: 'tokens',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => tokenKey(data.contract, data.tokenId),
  on: { TokenDescribed: (_, { uri, text, description }) => ({ uri, text, ...(description && { description }) }) },
};
