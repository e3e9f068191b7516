import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type { QuotaName } from '../quota.js';
import type { Limits } from '../rate-limit.js';
import type { GatewayKeys } from './gateway/gateway-token.js';

export type OfOrganization = {
  /** Id of the organization. */
  readonly organizationId: string;
};
export type OfDomain = {
  /** Domain of the organization: 1 to 50 characters of a-z, 0-9 and dashes. */
  domain: string;
};
type Created = OfOrganization &
  OfDomain & {
    /** Name of the organization. */
    name: string;
  };
type LimitDeleted = OfOrganization & {
  /**
   * Tag of the chain, such as C; empty for the limits that apply to every chain without limits of its own.
   */
  chain: string;
};
type LimitSet = LimitDeleted & {
  /** New limits. */
  limits: Limits;
};
type QuotaSet = OfOrganization & {
  /** Quota that was set. */
  quota: QuotaName;
  /** New limit of the quota, in the unit of the quota. */
  limit: number;
};
type GatewayKeysSet = OfOrganization & {
  /** Keys that the gateway accepts: api_keys and gateway tokens (`api_key`), or gateway tokens only (`tokens`). */
  gatewayKeys: GatewayKeys;
};

/**
 * Stored events contain only JSON values. Names of event types never change; a changed shape needs a step in
 * domain/upcasters.ts.
 */
export type OrganizationEvent =
  | { type: 'OrganizationCreated'; data: Created }
  | { type: 'RateLimitSet'; data: LimitSet }
  | { type: 'RateLimitDeleted'; data: LimitDeleted }
  | { type: 'QuotaSet'; data: QuotaSet }
  | { type: 'GatewayKeysSet'; data: GatewayKeysSet };
export type OrganizationCommand =
  | { type: 'Create'; data: Created }
  /** Checks that the organization exists, in a command that writes other streams. Writes no event. */
  | { type: 'RequireExisting'; data: OfOrganization }
  | { type: 'SetRateLimit'; data: LimitSet }
  /** Deletes the organization's rate limit for `chain`, or all its rate limits if `chain` is undefined. */
  | { type: 'DeleteRateLimit'; data: OfOrganization & { chain: string | undefined } }
  | { type: 'SetQuota'; data: QuotaSet }
  | { type: 'SetGatewayKeys'; data: GatewayKeysSet };
type Organization = {
  exists: boolean;
  limits: Readonly<Record<string, Limits>>;
  quotas: Readonly<Partial<Record<QuotaName, number>>>;
  /** Keys that the gateway accepts; absent until they are set. The default is `api_key`. */
  gatewayKeys?: GatewayKeys;
};

const defaultGatewayKeys: GatewayKeys = 'api_key';
/** Returns the keys that the gateway accepts from an organization. */
export const gatewayKeysOf = ({ gatewayKeys = defaultGatewayKeys }: Pick<Organization, 'gatewayKeys'>): GatewayKeys =>
  gatewayKeys;

const maxLength = 100;

export const checkName = (name: string) => {
  const length = [...name].length;
  if (length === 0 || length > maxLength || name.includes('\0'))
    fail(
      'INVALID_ARGUMENT',
      `name must have 1 to ${maxLength} characters and no NUL character, got ${length} characters`,
    );
};

const requireExisting = ({ exists }: Organization, organizationId: string) => {
  if (!exists) fail('NOT_FOUND', `Organization not found: ${organizationId}`);
};
const same = (a: Limits | undefined, b: Limits) =>
  a?.second === b.second && a.hour === b.hour && a.day === b.day && a.month === b.month;
const without = (limits: Organization['limits'], chain: string) =>
  Object.fromEntries(Object.entries(limits).filter(([held]) => held !== chain));

export const organization: Decider<OrganizationCommand, OrganizationEvent, Organization> = {
  stream: 'organization',
  initial: { exists: false, limits: {}, quotas: {} },
  decide: {
    Create: ({ exists }, data) =>
      exists
        ? fail('ALREADY_EXISTS', `Organization already exists: ${data.organizationId}`)
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
    SetQuota: (state, data) => {
      requireExisting(state, data.organizationId);
      return state.quotas[data.quota] === data.limit ? [] : [{ type: 'QuotaSet', data }];
    },
    SetGatewayKeys: (state, data) => {
      requireExisting(state, data.organizationId);
      return gatewayKeysOf(state) === data.gatewayKeys ? [] : [{ type: 'GatewayKeysSet', data }];
    },
  },
  evolve: {
    OrganizationCreated: (state) => ({ ...state, exists: true }),
    RateLimitSet: (state, { chain, limits }) => ({ ...state, limits: { ...state.limits, [chain]: limits } }),
    RateLimitDeleted: (state, { chain }) => ({ ...state, limits: without(state.limits, chain) }),
    QuotaSet: (state, { quota, limit }) => ({ ...state, quotas: { ...state.quotas, [quota]: limit } }),
    GatewayKeysSet: (state, { gatewayKeys }) => ({ ...state, gatewayKeys }),
  },
};
