import type { Limits, Quota } from '../../../domain/rate-limit.js';
import { type Variant, variants } from '../../../domain/variant.js';
import { type MaybePromise, mapMaybe } from '../../async/maybe-promise.js';
import { createTurnBudget } from '../../async/turns/turn-budget.js';
import type { Limiter } from '../../ports/limiter.js';
import type { System } from '../../ports/system.js';
import type { CredentialCache } from '../credential-cache.js';
import type { CredentialUses } from '../credential-uses.js';
import type { LimitCache } from '../limit-cache.js';
import { type GatewayTokenCache, type Holder, isToken } from './token-cache.js';

export type GatewayAccess = {
  /**
   * Finds the holder of the api_key or token in a gateway URL; null when `key` grants no access to the gateway, such as
   * the key of an auditor.
   */
  find(key: string): MaybePromise<Holder | null>;
  /**
   * Charges gateway calls to the token's own limit, if it has one, and to the organization's gateway limits for the
   * chain. Returns the quota of the limit with the fewest units left. `cost` is charged only if it fits into the
   * limits; `more` is then charged in addition, even if this overdraws the limits.
   */
  charge(holder: Holder, variant: Variant, cost: number, more?: number): MaybePromise<Quota>;
  /**
   * Charges rejected calls, which the token does not allow, to a counter of that token only. The limit of the counter
   * is the token's own limit or, if it has none, the organization's limit.
   */
  chargeRejected(holder: Holder, variant: Variant, calls: number): MaybePromise<Quota>;
};

/** Maximum number of gateway calls that one organization may start in one turn of the event loop. */
export const callsInTurn = 200;

/**
 * Names of the rate-limit counters of gateway calls, by chain. API operations on the same chain have a separate
 * counter.
 */
const counters = new Map(variants.map(({ tag }) => [tag, `${tag}:gateway`]));

const nearer = (a: Quota, b: Quota) => (b.remaining < a.remaining ? b : a);

export const createGatewayAccess = (ports: {
  credentialCache: CredentialCache;
  uses: Pick<CredentialUses, 'note'>;
  tokens: GatewayTokenCache;
  limits: LimitCache;
  limiter: Limiter;
  system: System;
}): GatewayAccess => {
  const { credentialCache, uses, tokens, limits, limiter, system } = ports;
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
      return mapMaybe(credentialCache.find(key), (found) => {
        if (found === null || found.role === 'auditor') return null;
        return mapMaybe(limits.gatewayKeys(found.organizationId), (taken) => {
          if (taken === 'tokens') return null;
          uses.note(key);
          return found;
        });
      });
    },
    charge: (holder, variant, cost, more = 0) => {
      const { organizationId, grant } = holder;
      const charged = grant?.limits
        ? chargeToken({ organizationId, grant }, grant.limits, variant, [cost, more])
        : chargeOrganization(organizationId, variant, cost, more);
      return mapMaybe(charged, (quota) => mapMaybe(turnFor(organizationId, cost), () => quota));
    },
    chargeRejected: ({ organizationId, grant }, { tag }, calls) => {
      const chain = grant?.gatewayTokenId ?? '';
      const charged = mapMaybe(grant?.limits ?? limits.find(organizationId, tag), (found) =>
        limiter.charge({ organizationId, chain, limits: found, cost: calls }),
      );
      return mapMaybe(charged, (quota) =>
        mapMaybe(turnFor(organizationId, calls), () => ({ ...quota, ofToken: true as const })),
      );
    },
  };
};
