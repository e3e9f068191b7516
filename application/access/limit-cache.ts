import type { GatewayKeys } from '../../domain/aggregates/gateway/gateway-token.js';
import { gatewayKeysOf, organization } from '../../domain/aggregates/organization.js';
import { defaultLimits, type Limits } from '../../domain/rate-limit.js';
import { type MaybePromise, mapMaybe } from '../async/maybe-promise.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore } from '../ports/event-store.js';
import { createEventInvalidatedCache, type EventInvalidatedCache } from './event-invalidated-cache.js';

export type LimitCache = EventInvalidatedCache & {
  find(organizationId: string, chain: string): MaybePromise<Limits>;
  /** Returns which keys authenticate the organization's gateway calls. */
  gatewayKeys(organizationId: string): MaybePromise<GatewayKeys>;
};

/**
 * Returns the entry of the chain, or else the entry for all chains, which has an empty key; undefined when the defaults
 * apply.
 */
export const applicable = <T>(records: Readonly<Record<string, T>>, chain: string): T | undefined =>
  records[chain] ?? records[''];

export const createLimitCache = (events: EventStore): LimitCache => {
  const known = createEventInvalidatedCache((organizationId) =>
    readAggregate(events, organization, organizationId, organizationId),
  );
  return {
    find: (organizationId, chain) =>
      mapMaybe(known.find(organizationId), (found) => applicable(found?.limits ?? {}, chain) ?? defaultLimits),
    gatewayKeys: (organizationId) => mapMaybe(known.find(organizationId), (found) => gatewayKeysOf(found ?? {})),
    clear: known.clear,
    onEvent: ({ type, data }) => {
      if (type === 'RateLimitSet' || type === 'RateLimitDeleted' || type === 'GatewayKeysSet')
        known.forget((data as { organizationId: string }).organizationId);
    },
  };
};
