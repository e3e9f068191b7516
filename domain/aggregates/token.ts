import type { Decider } from '../decider.js';
import type { TokenDescription } from '../token-description.js';

type Token = {
  /** URI of the token's metadata, as its contract states it; empty if there is none. */
  uri: string;
  /** Document at `uri` if it is JSON; otherwise empty. */
  text: string;
  /** Metadata of a fungible token, as its contract states it; absent for other tokens. */
  description?: TokenDescription;
};
type Described = Token & {
  /** Address of the token contract, jetton master contract or coin type, in its canonical stored form. */
  contract: string;
  /** Id of the token within its contract, as a decimal number; empty for fungible tokens. */
  tokenId: string;
};

export type TokenEvent = { type: 'TokenDescribed'; data: Described };
type TokenCommand = { type: 'Describe'; data: Described };

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
