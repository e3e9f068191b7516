import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

/** Roles of credentials. An auditor reads what a client reads, except secrets, and changes nothing. */
export const roles = ['client', 'admin', 'auditor'] as const;
export type Role = (typeof roles)[number];

type Named = {
  /** `api_key` of the credential. */
  apiKey: string;
};
type Issued = Named & {
  /** Role of the credential. */
  role: Role;
  /** Secret of the credential, encrypted. */
  sealedSecret: string;
  /** Name that the operator gave the credential; absent if it has no name. */
  name?: string;
};

/**
 * Events contain the secret only in encrypted form. Deleting a credential destroys the key that decrypts the secret.
 */
export type CredentialEvent = { type: 'CredentialIssued'; data: Issued } | { type: 'CredentialDeleted'; data: Named };
type CredentialCommand = { type: 'Issue'; data: Issued } | { type: 'Delete'; data: Named };
type Credential = { state: 'none' | 'deleted' } | { state: 'active'; role: Role; sealedSecret: string };

export const credential: Decider<CredentialCommand, CredentialEvent, Credential> = {
  stream: 'credential',
  initial: { state: 'none' },
  decide: {
    Issue: ({ state }, data) =>
      state === 'none'
        ? [{ type: 'CredentialIssued', data }]
        : fail('ALREADY_EXISTS', 'A credential with this api_key already exists'),
    Delete: ({ state }, data) => {
      if (state === 'none') return fail('NOT_FOUND', 'Credential not found. Check the api_key.');
      return state === 'deleted' ? [] : [{ type: 'CredentialDeleted', data }];
    },
  },
  evolve: {
    // A credential is issued once. Only a forged history has a second event of this type, which changes nothing.
    CredentialIssued: (past, { role, sealedSecret }) =>
      past.state === 'none' ? { state: 'active', role, sealedSecret } : past,
    CredentialDeleted: () => ({ state: 'deleted' }),
  },
};
