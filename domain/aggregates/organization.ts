import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type { QuotaName } from '../quota.js';
import type { Limits } from '../rate-limit.js';
import type { GatewayKeys } from './gateway/gateway-token.js';

type Created = { organizationId: string; name: string; domain: string };
/** `chain` is empty for the record that applies to every chain without its own record. */
type LimitSet = { organizationId: string; chain: string; limits: Limits };
type LimitDeleted = { organizationId: string; chain: string };
type QuotaSet = { organizationId: string; quota: QuotaName; limit: number };
type GatewayKeysSet = { organizationId: string; gatewayKeys: GatewayKeys };

/** Stored events hold JSON values only. Names never change; a changed shape needs a step in domain/upcasters.ts. */
export type OrganizationEvent =
  | { type: 'OrganizationCreated'; data: Created }
  | { type: 'RateLimitSet'; data: LimitSet }
  | { type: 'RateLimitDeleted'; data: LimitDeleted }
  | { type: 'QuotaSet'; data: QuotaSet }
  | { type: 'GatewayKeysSet'; data: GatewayKeysSet };
export type OrganizationCommand =
  | { type: 'Create'; data: Created }
  /** Rejects a command that also writes other streams if the organization does not exist. */
  | { type: 'RequireExisting'; data: { organizationId: string } }
  | { type: 'SetRateLimit'; data: LimitSet }
  /** Deletes the record of a chain, or all records when `chain` is undefined. */
  | { type: 'DeleteRateLimit'; data: { organizationId: string; chain: string | undefined } }
  | { type: 'SetQuota'; data: QuotaSet }
  | { type: 'SetGatewayKeys'; data: GatewayKeysSet };
type Organization = {
  exists: boolean;
  limits: Readonly<Record<string, Limits>>;
  quotas: Readonly<Partial<Record<QuotaName, number>>>;
  /** Absent until set; the default is `api_key`. */
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
    fail('INVALID_ARGUMENT', `name must have 1 to ${maxLength} characters and no NUL, has ${length}`);
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
