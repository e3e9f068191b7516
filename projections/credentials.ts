import type { CredentialEvent, Role } from '../domain/credential.js';
import { ownScope, type Projection } from './define.js';

export type CredentialDocument = { api_key: string; role: Role; create_time: string; position: number };

/** Lists an organization's credentials; requests are authenticated from the event store, never from here. */
export const credentials: Projection<CredentialEvent, CredentialDocument> = {
  name: 'credentials',
  version: 1,
  indexes: { all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.apiKey,
  on: {
    CredentialIssued: (_, { apiKey, role }, { occurredAt, position }) => ({
      api_key: apiKey,
      role,
      create_time: occurredAt,
      position,
    }),
    CredentialDeleted: () => null,
  },
};
