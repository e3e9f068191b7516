import type { Decider } from '../decider.js';
import type { TokenDescription } from '../token-description.js';

/** `tokenId` is empty for fungible tokens; only these have a `description`. */
type Described = { contract: string; tokenId: string; uri: string; text: string; description?: TokenDescription };

export type TokenEvent = { type: 'TokenDescribed'; data: Described };
type TokenCommand = { type: 'Describe'; data: Described };
type Token = { uri: string; text: string; description?: TokenDescription };

const known = ({ uri, text, description }: Token): Token => ({ uri, text, ...(description && { description }) });

const parts = ['name', 'symbol', 'decimals'] as const;
const isSame = (a: Token, b: Token) =>
  a.uri === b.uri && a.text === b.text && parts.every((part) => a.description?.[part] === b.description?.[part]);

/** Metadata of one token of a contract. Empty values do not overwrite values found earlier. */
export const token: Decider<TokenCommand, TokenEvent, Token> = {
  stream: 'token',
  initial: { uri: '', text: '' },
  decide: {
    Describe: (past, data) => {
      const said = data.description || past.description;
      const now = known({
        uri: data.uri || past.uri,
        text: data.text || past.text,
        ...(said && { description: { ...past.description, ...data.description } }),
      });
      return isSame(now, past) ? [] : [{ type: 'TokenDescribed', data: { ...data, ...now } }];
    },
  },
  evolve: { TokenDescribed: (_, data) => known(data) },
};
