import type { Decider } from './decider.js';
import { refuse } from './failure.js';
import type { Limits } from './rate-limit.js';

type Created = { organizationId: string; name: string; domain: string };
/** `chain` is empty for the record that holds on every chain without one of its own. */
type LimitSet = { organizationId: string; chain: string; limits: Limits };
type LimitDeleted = { organizationId: string; chain: string };

/** Stored facts, in JSON values only. Names stay for good; a shape that changes gets a step in domain/upcasters.ts. */
export type OrganizationEvent =
  | { type: 'OrganizationCreated'; data: Created }
  | { type: 'RateLimitSet'; data: LimitSet }
  | { type: 'RateLimitDeleted'; data: LimitDeleted };
type OrganizationCommand =
  | { type: 'Create'; data: Created }
  /** For a command whose effect is elsewhere but which needs the organization. */
  | { type: 'RequireExisting'; data: { organizationId: string } }
  | { type: 'SetRateLimit'; data: LimitSet }
  /** Without a chain: all records. */
  | { type: 'DeleteRateLimit'; data: { organizationId: string; chain: string | undefined } };
type Organization = { exists: boolean; limits: Readonly<Record<string, Limits>> };

const maxLength = 100;

export const checkName = (name: string) => {
  const length = [...name].length;
  if (length === 0 || length > maxLength || name.includes('\0'))
    refuse('INVALID_ARGUMENT', `an organization's name has 1 to ${maxLength} characters`);
};

const requireExisting = ({ exists }: Organization, organizationId: string) => {
  if (!exists) refuse('NOT_FOUND', `there is no organization ${organizationId}`);
};
const same = (a: Limits | undefined, b: Limits) =>
  a?.second === b.second && a.hour === b.hour && a.day === b.day && a.month === b.month;
const without = (limits: Organization['limits'], chain: string) =>
  Object.fromEntries(Object.entries(limits).filter(([held]) => held !== chain));

export const organization: Decider<OrganizationCommand, OrganizationEvent, Organization> = {
  stream: 'organization',
  initial: { exists: false, limits: {} },
  decide: {
    Create: ({ exists }, data) =>
      exists
        ? refuse('ALREADY_EXISTS', `organization ${data.organizationId} already exists`)
        : [{ type: 'OrganizationCreated', data }],
    RequireExisting: (state, { organizationId }) => {
      requireExisting(state, organizationId);
      return [];
    },
    SetRateLimit: (state, data) => {
      requireExisting(state, data.organizationId);
      return same(state.limits[data.chain], data.limits) ? [] : [{ type: 'RateLimitSet', data }];
    },
    DeleteRateLimit: (state, { organizationId, chain: named }) => {
      requireExisting(state, organizationId);
      return Object.keys(state.limits)
        .filter((chain) => named === undefined || chain === named)
        .map((chain) => ({ type: 'RateLimitDeleted', data: { organizationId, chain } }));
    },
  },
  evolve: {
    OrganizationCreated: (state) => ({ ...state, exists: true }),
    RateLimitSet: (state, { chain, limits }) => ({ ...state, limits: { ...state.limits, [chain]: limits } }),
    RateLimitDeleted: (state, { chain }) => ({ ...state, limits: without(state.limits, chain) }),
  },
};
