import type { Limits, Quota } from '../../../domain/rate-limit.js';
import { type Variant, variants } from '../../../domain/variant.js';
import { type MaybePromise, mapMaybe } from '../../async/maybe-promise.js';
import { createTurnBudget } from '../../async/turn-budget.js';
import type { Limiter } from '../../ports/limiter.js';
import type { System } from '../../ports/system.js';
import type { CredentialCache } from '../credential-cache.js';
import type { KnownLimits } from '../limit-cache.js';
import { type GatewayTokenCache, type Holder, isToken } from './token-cache.js';

export type GatewayAccess = {
  /** Finds who holds the api_key or the token of a gateway address; null when it opens nothing. */
  find(key: string): MaybePromise<Holder | null>;
  /**
   * Charges gateway calls to the token's own limit, if it has one, and to its organization's limits at the gateway of
   * that chain; returns what is left. `cost` must fit into them; `more`, which is charged with it, may overdraw them.
   */
  charge(holder: Holder, variant: Variant, cost: number, more?: number): MaybePromise<Quota>;
};

/** Gateway calls of one organization that begin in one turn of the event loop. */
export const callsInTurn = 200;

/** Names under which the limiter counts the gateway calls of a chain, apart from its operations. */
const counters = new Map(variants.map(({ tag }) => [tag, `${tag}:gateway`]));

const nearer = (a: Quota, b: Quota) => (b.remaining < a.remaining ? b : a);

export const createGatewayAccess = (ports: {
  credentials: CredentialCache;
  tokens: GatewayTokenCache;
  limits: KnownLimits;
  limiter: Limiter;
  system: System;
}): GatewayAccess => {
  const { credentials, tokens, limits, limiter, system } = ports;
  const turnFor = createTurnBudget(callsInTurn, system.breathe);

  const chargeBoth = (organizationId: string, chain: string, found: Limits, cost: number, more: number) => {
    const charged = limiter.charge({ organizationId, chain, limits: found, cost });
    if (more === 0) return charged;
    return mapMaybe(charged, (quota) =>
      quota.allowed ? limiter.charge({ organizationId, chain, limits: found, cost: more, overdraws: true }) : quota,
    );
  };
  const chargeOrganization = (organizationId: string, { tag }: Variant, cost: number, more: number) =>
    mapMaybe(limits.find(organizationId, tag), (found) =>
      chargeBoth(organizationId, counters.get(tag) ?? tag, found, cost, more),
    );
  const chargeToken = (
    { organizationId, grant }: Holder & Required<Pick<Holder, 'grant'>>,
    found: Limits,
    variant: Variant,
    [cost, more]: readonly [number, number],
  ) =>
    mapMaybe(chargeBoth(organizationId, grant.gatewayTokenId, found, cost, more), (own) =>
      own.allowed
        ? mapMaybe(chargeOrganization(organizationId, variant, cost, more), (quota) =>
            quota.allowed ? nearer(quota, own) : quota,
          )
        : { ...own, ofToken: true as const },
    );

  return {
    find: (key) => {
      if (isToken(key)) return tokens.find(key);
      return mapMaybe(credentials.find(key), (found) => {
        if (found === null) return null;
        return mapMaybe(limits.gatewayKeys(found.organizationId), (taken) => (taken === 'tokens' ? null : found));
      });
    },
    charge: (holder, variant, cost, more = 0) => {
      const { organizationId, grant } = holder;
      const charged = grant?.limits
        ? chargeToken({ organizationId, grant }, grant.limits, variant, [cost, more])
        : chargeOrganization(organizationId, variant, cost, more);
      return mapMaybe(charged, (quota) => mapMaybe(turnFor(organizationId, cost), () => quota));
    },
  };
};
