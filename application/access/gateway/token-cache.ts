import { type Grants, gatewayToken } from '../../../domain/aggregates/gateway/gateway-token.js';
import { Failure } from '../../../domain/failure.js';
import type { Limits } from '../../../domain/rate-limit.js';
import { createBoundedCache } from '../../async/bounded-cache.js';
import { type MaybePromise, mapMaybe } from '../../async/maybe-promise.js';
import { readAggregate } from '../../commands/read-aggregate.js';
import type { EventStore } from '../../ports/event-store.js';
import type { System } from '../../ports/system.js';
import type { Vault } from '../../ports/vault.js';
import { unknownTtlMs } from '../credential-cache.js';
import { createEventInvalidatedCache, type EventInvalidatedCache } from '../event-invalidated-cache.js';
import { createLookupBudget } from '../lookup-budget.js';

/** Permissions of a token. `null` allows every chain, method or origin. */
type Grant = {
  readonly gatewayTokenId: string;
  readonly chains: ReadonlySet<string> | null;
  readonly methods: ReadonlySet<string> | null;
  readonly origins: ReadonlySet<string> | null;
  /** Time in Unix ms at which the token expires; Infinity for a token that does not expire. */
  readonly expiresAt: number;
  /** Rate limit of the token itself; null when only the organization's limits apply. */
  readonly limits: Limits | null;
};
/** Organization that a gateway call is charged to. `grant` is absent for an api_key, which has no restrictions. */
export type Holder = { readonly organizationId: string; readonly grant?: Grant };

export type GatewayTokenCache = EventInvalidatedCache & {
  /**
   * Finds the holder of a token; null when the token is unknown, deleted or expired, or when its stored data was
   * tampered with.
   */
  find(token: string): MaybePromise<Holder | null>;
};

const tokenPattern = /^gt_([0-9a-f]{32})_[0-9a-f]{32}$/;

/** Builds a token that includes its organization id, so that one read of the event store finds the token. */
export const tokenFor = (organizationId: string, random: string) => `gt_${organizationId.slice(4)}_${random}`;
export const isToken = (key: string) => key.startsWith('gt_');
const organizationOfToken = (token: string) => {
  const found = tokenPattern.exec(token);
  return found && `org_${found[1]}`;
};

/** Derives the id of a token with a keyed digest, so that the id reveals nothing about the token. */
export const tokenIdOf = ({ sign }: Pick<System, 'sign'>, token: string) =>
  `gtk_${sign('gateway-token', token).slice(0, 32)}`;

/**
 * Name of the token's data key in the vault. This key seals the token id together with `tokenContext`: after a change
 * of the token's stored permissions, the id does not decrypt.
 */
export const tokenKeyId = (gatewayTokenId: string) => `gateway-token:${gatewayTokenId}`;
export const tokenContext = (organizationId: string, gatewayTokenId: string, grants: Grants) => {
  const { name, chains = null, methods = null, origins = null, expireTime = null, perSecondLimit = null } = grants;
  return JSON.stringify([organizationId, gatewayTokenId, name, chains, methods, origins, expireTime, perSecondLimit]);
};

const setOf = (values: readonly string[] | undefined) => (values ? new Set(values) : null);
const unlimited = Number.MAX_SAFE_INTEGER;
const limitsOf = (second: number): Limits => ({ second, hour: unlimited, day: unlimited, month: unlimited });

const grantOf = (gatewayTokenId: string, grants: Grants): Grant => ({
  gatewayTokenId,
  chains: setOf(grants.chains),
  methods: setOf(grants.methods),
  origins: setOf(grants.origins),
  expiresAt: grants.expireTime === undefined ? Number.POSITIVE_INFINITY : Date.parse(grants.expireTime),
  limits: grants.perSecondLimit === undefined ? null : limitsOf(grants.perSecondLimit),
});

/** Maximum number of cached unknown tokens, and of cached digests of tokens. */
const maxUnknown = 1000;
const maxKeys = 10_000;

/** Returns true when the token's data is unchanged since its creation and its data key still exists. */
const isGenuine = async (
  { vault, system }: { vault: Vault; system: System },
  gatewayTokenId: string,
  sealed: string,
  context: string,
) => {
  try {
    const opened = await vault.open(tokenKeyId(gatewayTokenId), sealed, context);
    return opened !== null && system.same(opened, gatewayTokenId);
  } catch (error) {
    if (error instanceof Failure) throw error;
    system.log.error({ gatewayTokenId }, 'Gateway token rejected: its stored data was changed after it was created');
    return false;
  }
};

export const createGatewayTokenCache = (events: EventStore, vault: Vault, system: System): GatewayTokenCache => {
  /** Cache keys of unknown tokens, each with the Unix ms until which it is rejected without a store read. */
  const unknown = createBoundedCache<string, number>(maxUnknown);
  /** Cache keys by token, kept because computing the digest of a token costs more than the rest of a lookup. */
  const keys = createBoundedCache<string, string>(maxKeys);
  const budget = createLookupBudget(system);
  let created = 0;

  const keyFor = (organizationId: string, gatewayTokenId: string) => `${organizationId} ${gatewayTokenId}`;
  const keyOf = (token: string) => {
    const organizationId = organizationOfToken(token);
    return organizationId && keyFor(organizationId, tokenIdOf(system, token));
  };
  const known = createEventInvalidatedCache(async (cacheKey: string): Promise<Required<Holder> | null> => {
    if (system.now() < (unknown.get(cacheKey) ?? 0)) return null;
    const [organizationId = '', gatewayTokenId = ''] = cacheKey.split(' ');
    const refund = budget.charge(cacheKey);
    const before = created;
    const state = await readAggregate(events, gatewayToken, organizationId, gatewayTokenId);
    if (state.state !== 'active') {
      // The token is not cached as unknown if any token was created meanwhile, because the created token may be this
      // token.
      if (created === before) unknown.set(cacheKey, system.now() + unknownTtlMs);
      return null;
    }
    refund();
    const context = tokenContext(organizationId, gatewayTokenId, state.created);
    if (!(await isGenuine({ vault, system }, gatewayTokenId, state.created.sealedId, context))) return null;
    return { organizationId, grant: grantOf(gatewayTokenId, state.created) };
  });

  return {
    find: (token) => {
      const cacheKey = keys.get(token) ?? keyOf(token);
      if (cacheKey === null) return null;
      return mapMaybe(known.find(cacheKey), (found) => {
        if (found === null || system.now() >= found.grant.expiresAt) return null;
        if (!keys.has(token)) keys.set(token, cacheKey);
        return found;
      });
    },
    clear: () => {
      created++;
      unknown.clear();
      known.clear();
    },
    onEvent: ({ type, data, metadata }) => {
      if (type !== 'GatewayTokenCreated' && type !== 'GatewayTokenDeleted') return;
      const { gatewayTokenId } = data as { gatewayTokenId: string };
      const cacheKey = keyFor(metadata.organizationId, gatewayTokenId);
      if (type === 'GatewayTokenDeleted') return known.forget(cacheKey);
      created++;
      budget.noteIssued(cacheKey);
      unknown.delete(cacheKey);
    },
  };
};
