import type { CredentialEvent, Role } from '../domain/aggregates/credential.js';
import type { GatewayTokenEvent, Grants } from '../domain/aggregates/gateway/gateway-token.js';
import type { OrganizationEvent } from '../domain/aggregates/organization.js';
import type { Limits } from '../domain/rate-limit.js';
import { ownScope, type Projection, systemOwner } from './define.js';

export type OrganizationDocument = {
  organization_id: string;
  name: string;
  domain: string;
  create_time: string;
  update_time: string;
  position: number;
};

export const organizations: Projection<
  Extract<OrganizationEvent, { type: 'OrganizationCreated' }>,
  OrganizationDocument
> = {
  name: 'organizations',
  version: 1,
  indexes: {
    all: { equal: [], order: 'position' },
    byDomain: { equal: ['domain'], order: 'position' },
  },
  scope: () => systemOwner,
  key: ({ data }) => data.organizationId,
  on: {
    OrganizationCreated: (_, { organizationId, name, domain }, { occurredAt, position }) => ({
      organization_id: organizationId,
      name,
      domain,
      create_time: occurredAt,
      update_time: occurredAt,
      position,
    }),
  },
};

export type RateLimitDocument = {
  organization_id: string;
  chain: string;
  limits: Limits;
  create_time: string;
  update_time: string;
  position: number;
};

type RateLimitEvent = Extract<OrganizationEvent, { type: `RateLimit${string}` }>;

const rateLimitKey = (chain: string) => `limit:${chain}`;

export const rateLimits: Projection<RateLimitEvent, RateLimitDocument> = {
  name: 'rate_limits',
  version: 1,
  indexes: { all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => rateLimitKey(data.chain),
  on: {
    RateLimitSet: (doc, { organizationId, chain, limits }, { occurredAt, position }) => ({
      organization_id: organizationId,
      chain,
      limits,
      create_time: doc?.create_time ?? occurredAt,
      update_time: occurredAt,
      position: doc?.position ?? position,
    }),
    RateLimitDeleted: () => null,
  },
};

export type CredentialDocument = {
  api_key: string;
  role: Role;
  name?: string;
  create_time: string;
  position: number;
};

/** Credentials of each organization, for listing only. Requests are authenticated against the event store. */
export const credentials: Projection<CredentialEvent, CredentialDocument> = {
  name: 'credentials',
  version: 1,
  indexes: { all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.apiKey,
  on: {
    CredentialIssued: (_, { apiKey, role, name }, { occurredAt, position }) => ({
      api_key: apiKey,
      role,
      ...(name !== undefined && { name }),
      create_time: occurredAt,
      position,
    }),
    CredentialDeleted: () => null,
  },
};

export type GatewayTokenDocument = Grants & { gateway_token_id: string; create_time: string; position: number };

/** Gateway tokens of each organization, for listing only. Calls are authenticated against the event store. */
export const gatewayTokens: Projection<GatewayTokenEvent, GatewayTokenDocument> = {
  name: 'gateway_tokens',
  version: 1,
  indexes: { all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.gatewayTokenId,
  on: {
    GatewayTokenCreated: (_, { gatewayTokenId, sealedId, ...grants }, { occurredAt, position }) => ({
      ...grants,
      gateway_token_id: gatewayTokenId,
      create_time: occurredAt,
      position,
    }),
    GatewayTokenDeleted: () => null,
  },
};
