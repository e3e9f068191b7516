import { type Grants, gatewayToken } from '../../../domain/aggregates/gateway/gateway-token.js';
import { Failure } from '../../../domain/failure.js';
import type { Limits } from '../../../domain/rate-limit.js';
import { createBoundedCache } from '../../async/bounded-cache.js';
import { type MaybePromise, mapMaybe } from '../../async/maybe-promise.js';
import { readAggregate } from '../../commands/read-aggregate.js';
import type { EventStore } from '../../ports/event-store.js';
import type { System } from '../../ports/system.js';
import type { Vault } from '../../ports/vault.js';
import { unknownMs } from '../credential-cache.js';
import { createEventInvalidatedCache, type EventInvalidatedCache } from '../event-invalidated-cache.js';

/** Calls that a token is for, as every gateway call looks them up; null leaves a kind open. */
type Grant = {
  readonly gatewayTokenId: string;
  readonly chains: ReadonlySet<string> | null;
  readonly methods: ReadonlySet<string> | null;
  readonly origins: ReadonlySet<string> | null;
  /** Unix ms. */
  readonly expiresAt: number;
  /** Limits of the token's own budget. */
  readonly limits: Limits | null;
};
/** Organization that a gateway call is charged to; `grant` is that of a token, and absent for an api_key. */
export type Holder = { readonly organizationId: string; readonly grant?: Grant };

export type GatewayTokenCache = EventInvalidatedCache & {
  /** Finds a token; null when it was never created, is deleted or has expired, or when its facts were changed. */
  find(token: string): MaybePromise<Holder | null>;
};

const tokenPattern = /^gt_([0-9a-f]{32})_[0-9a-f]{32}$/;

/** Builds a token that names its organization, so that a single read of the event store finds it. */
export const tokenFor = (organizationId: string, random: string) => `gt_${organizationId.slice(4)}_${random}`;
export const isToken = (key: string) => key.startsWith('gt_');
const organizationOfToken = (token: string) => {
  const found = tokenPattern.exec(token);
  return found && `org_${found[1]}`;
};

/**
 * Returns the id of a token: its digest under a key of the vault, so that who has the id, or guesses tokens, learns
 * nothing of any token.
 */
export const tokenIdOf = ({ sign }: Pick<System, 'sign'>, token: string) =>
  `gtk_${sign('gateway-token', token).slice(0, 32)}`;

/** Name of the token's data key in the vault. The sealed id opens only in `tokenContext`. */
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

/** Number of ids that are remembered as unknown, and of tokens whose id is remembered. */
const maxUnknown = 1000;
const maxKnown = 10_000;

/** Tells whether the facts of a token are those that it was created with, and its key was not destroyed. */
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
    system.log.error({ gatewayTokenId }, 'the stored facts of a gateway token were changed, so it is refused');
    return false;
  }
};

export const createGatewayTokenCache = (events: EventStore, vault: Vault, system: System): GatewayTokenCache => {
  /** Times until which places count as unknown. */
  const unknown = createBoundedCache<string, number>(maxUnknown);
  /** Places of tokens that were found, because the digest of a token takes longer than the rest. */
  const places = createBoundedCache<string, string>(maxKnown);
  let created = 0;

  const placeFor = (organizationId: string, gatewayTokenId: string) => `${organizationId} ${gatewayTokenId}`;
  const placeOf = (token: string) => {
    const organizationId = organizationOfToken(token);
    return organizationId && placeFor(organizationId, tokenIdOf(system, token));
  };
  const known = createEventInvalidatedCache(async (place: string): Promise<Required<Holder> | null> => {
    if (system.now() < (unknown.get(place) ?? 0)) return null;
    const [organizationId = '', gatewayTokenId = ''] = place.split(' ');
    const before = created;
    const state = await readAggregate(events, gatewayToken, organizationId, gatewayTokenId);
    if (state.state !== 'active') {
      // The token may have been created since it was read.
      if (created === before) unknown.set(place, system.now() + unknownMs);
      return null;
    }
    const context = tokenContext(organizationId, gatewayTokenId, state.created);
    if (!(await isGenuine({ vault, system }, gatewayTokenId, state.created.sealedId, context))) return null;
    return { organizationId, grant: grantOf(gatewayTokenId, state.created) };
  });

  return {
    find: (token) => {
      const place = places.get(token) ?? placeOf(token);
      if (place === null) return null;
      return mapMaybe(known.find(place), (found) => {
        if (found === null || system.now() >= found.grant.expiresAt) return null;
        if (!places.has(token)) places.set(token, place);
        return found;
      });
    },
    forgetAll: () => {
      created++;
      unknown.clear();
      known.forgetAll();
    },
    notice: ({ type, data, metadata }) => {
      if (type !== 'GatewayTokenCreated' && type !== 'GatewayTokenDeleted') return;
      const { gatewayTokenId } = data as { gatewayTokenId: string };
      const place = placeFor(metadata.organizationId, gatewayTokenId);
      if (type === 'GatewayTokenDeleted') return known.forget(place);
      created++;
      unknown.delete(place);
    },
  };
};
