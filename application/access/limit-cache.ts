import { organization } from '../../domain/organization.js';
import { defaultLimits, type Limits } from '../../domain/rate-limit.js';
import { type MaybePromise, mapMaybe } from '../async/maybe-promise.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore } from '../ports/event-store.js';
import { createEventInvalidatedCache, type Memory } from './event-invalidated-cache.js';

export type KnownLimits = Memory & {
  /** What holds for an organization on a chain. */
  find(organizationId: string, chain: string): MaybePromise<Limits>;
};

/** The record of the chain, else the organization's own for every chain, else what holds for everybody. */
export const applicable = <T>(records: Readonly<Record<string, T>>, chain: string): T | undefined =>
  records[chain] ?? records[''];

export const createLimitCache = (events: EventStore): KnownLimits => {
  const known = createEventInvalidatedCache(
    async (organizationId) => (await readAggregate(events, organization, organizationId, organizationId)).limits,
  );
  return {
    find: (organizationId, chain) =>
      mapMaybe(known.find(organizationId), (records) => applicable(records ?? {}, chain) ?? defaultLimits),
    forgetAll: known.forgetAll,
    notice: ({ type, data }) => {
      if (type === 'RateLimitSet' || type === 'RateLimitDeleted')
        known.forget((data as { organizationId: string }).organizationId);
    },
  };
};
