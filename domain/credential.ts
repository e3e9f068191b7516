import type { Decider } from './decider.js';
import { refuse } from './failure.js';

export const roles = ['client', 'admin'] as const;
export type Role = (typeof roles)[number];

type Issued = { apiKey: string; role: Role; sealedSecret: string };
type Deleted = { apiKey: string };

/** The secret is in the history only sealed; the key that opens it is destroyed with the credential. */
export type CredentialEvent = { type: 'CredentialIssued'; data: Issued } | { type: 'CredentialDeleted'; data: Deleted };
type CredentialCommand = { type: 'Issue'; data: Issued } | { type: 'Delete'; data: Deleted };
type Credential = { state: 'none' | 'deleted' } | { state: 'active'; role: Role; sealedSecret: string };

export const credential: Decider<CredentialCommand, CredentialEvent, Credential> = {
  stream: 'credential',
  initial: { state: 'none' },
  decide: {
    Issue: ({ state }, data) =>
      state === 'none'
        ? [{ type: 'CredentialIssued', data }]
        : refuse('ALREADY_EXISTS', 'this api_key was issued before'),
    Delete: ({ state }, data) => {
      if (state === 'none') return refuse('NOT_FOUND', 'there is no such credential');
      return state === 'deleted' ? [] : [{ type: 'CredentialDeleted', data }];
    },
  },
  evolve: {
    CredentialIssued: (_, { role, sealedSecret }) => ({ state: 'active', role, sealedSecret }),
    CredentialDeleted: () => ({ state: 'deleted' }),
  },
};
