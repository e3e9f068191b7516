import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type { OfDomain, OfOrganization } from './organization.js';

type Reserved = OfDomain & OfOrganization;

export type DomainNameEvent = { type: 'DomainReserved'; data: Reserved };
type DomainNameCommand = { type: 'Reserve'; data: Reserved };
type DomainName = { heldBy: string | null };

const pattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const maxLength = 50;

export const checkDomain = (domain: string) => {
  if (domain.length > maxLength || !pattern.test(domain))
    fail('INVALID_ARGUMENT', `domain must be 1 to ${maxLength} characters of a-z and 0-9, separated by single dashes`);
};

/** One stream per name, `system.domain-<domain>`, makes names unique: the first writer holds the name. */
export const domainName: Decider<DomainNameCommand, DomainNameEvent, DomainName> = {
  stream: 'domain',
  initial: { heldBy: null },
  decide: {
    Reserve: ({ heldBy }, data) => {
      if (heldBy === data.organizationId) return [];
      if (heldBy !== null) return fail('ALREADY_EXISTS', `Domain already taken: ${data.domain}`);
      return [{ type: 'DomainReserved', data }];
    },
  },
  evolve: { DomainReserved: (_, { organizationId }) => ({ heldBy: organizationId }) },
};
