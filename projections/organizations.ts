import type { OrganizationEvent } from '../domain/organization.js';
import { everybody, type Projection } from './define.js';

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
  scope: () => everybody,
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
