import type { TokenEvent } from '../domain/token.js';
import { ownScope, type Projection } from './define.js';

export type TokenDocument = { uri: string; text: string };

export const tokenKey = (contract: string, tokenId: string) => `${contract}|${tokenId}`;

export const tokens: Projection<TokenEvent, TokenDocument> = {
  name: 'tokens',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => tokenKey(data.contract, data.tokenId),
  on: { TokenDescribed: (_, { uri, text }) => ({ uri, text }) },
};
