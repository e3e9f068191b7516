import type { OrganizationEvent } from '../domain/organization.js';
import type { Limits } from '../domain/rate-limit.js';
import { ownScope, type Projection } from './define.js';

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
