import type { Decider } from './decider.js';
import { refuse } from './failure.js';

type Created = { organizationId: string; name: string; domain: string };

/** Stored facts. Names and shapes are the storage format: add new ones, never edit old ones. JSON values only. */
export type OrganizationEvent = { type: 'OrganizationCreated'; data: Created };
type OrganizationCommand = { type: 'Create'; data: Created };
type Organization = { exists: boolean };

const maxLength = 100;

export const checkName = (name: string) => {
  const length = [...name].length;
  if (length === 0 || length > maxLength || name.includes('\0'))
    refuse('INVALID_ARGUMENT', `an organization's name has 1 to ${maxLength} characters`);
};

export const organization: Decider<OrganizationCommand, OrganizationEvent, Organization> = {
  stream: 'organization',
  initial: { exists: false },
  decide: {
    Create: ({ exists }, data) =>
      exists
        ? refuse('ALREADY_EXISTS', `organization ${data.organizationId} already exists`)
        : [{ type: 'OrganizationCreated', data }],
  },
  evolve: { OrganizationCreated: () => ({ exists: true }) },
};
