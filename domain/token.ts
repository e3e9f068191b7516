import type { Decider } from './decider.js';

type Described = { contract: string; tokenId: string; uri: string; text: string };

export type TokenEvent = { type: 'TokenDescribed'; data: Described };
type TokenCommand = { type: 'Describe'; data: Described };
type Token = { uri: string; text: string };

/** What one token of a contract says about itself; what was once found is not lost to a later failure. */
export const token: Decider<TokenCommand, TokenEvent, Token> = {
  stream: 'token',
  initial: { uri: '', text: '' },
  decide: {
    Describe: (known, data) => {
      const uri = data.uri || known.uri;
      const text = data.text || known.text;
      return uri === known.uri && text === known.text ? [] : [{ type: 'TokenDescribed', data: { ...data, uri, text } }];
    },
  },
  evolve: { TokenDescribed: (_, { uri, text }) => ({ uri, text }) },
};
