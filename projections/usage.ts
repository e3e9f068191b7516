import { eventTypes } from '../domain/aggregates.js';
import type { Message } from '../domain/decider.js';
import { add, type Counts, countEvent } from '../domain/quota.js';
import { variants } from '../domain/variant.js';
import { type EventContext, ownScope, type Projection, scopeOf } from './define.js';

/** Quota usage of an organization on one API, and the quotas that an operator set. */
export type UsageDocument = {
  readonly used: Counts;
  readonly limits: Counts;
  /** Position of the last counted event. */
  readonly position: number;
};

const limitsAfter = (limits: Counts, { type, data }: Message): Counts => {
  if (type !== 'QuotaSet') return limits;
  const { quota, limit } = data as { quota: string; limit: number };
  return { ...limits, [quota]: limit };
};

const count =
  (type: string) =>
  (doc: UsageDocument | null, data: object, { position, bytes }: EventContext): UsageDocument =>
    // An event that is applied again, as in a replay over existing documents, counts once.
    doc && doc.position >= position
      ? doc
      : {
          used: countEvent(doc?.used ?? {}, { type, data }, bytes),
          limits: limitsAfter(doc?.limits ?? {}, { type, data }),
          position,
        };

const id = 'current';

/** Counts every event type, because every stored event takes storage. */
export const usage: Projection<Message, UsageDocument> = {
  name: 'usage',
  version: 2,
  presentOnly: true,
  indexes: {},
  scope: ownScope,
  key: () => id,
  on: Object.fromEntries(eventTypes.map((type) => [type, count(type)])),
};

/** Returns the key of an organization's usage document on one API. */
export const usageKey = (organizationId: string, tag: string) => ({ scope: scopeOf(organizationId, tag), id });

/** Returns the keys of an organization's usage documents, one per API. */
export const usageKeys = (organizationId: string) => variants.map(({ tag }) => usageKey(organizationId, tag));

/**
 * Quota usage of an organization over all APIs. `positions` has the event position of the last counted event of each
 * API, by API tag.
 */
export type Usage = {
  readonly used: Counts;
  readonly limits: Counts;
  readonly positions: Readonly<Record<string, number>>;
};

/** Adds up an organization's usage documents, which must be in the order of `usageKeys`. */
export const totalUsage = (documents: readonly (UsageDocument | null)[]): Usage => {
  const found = documents.flatMap((one) => one ?? []);
  return {
    used: found.reduce((sum, { used }) => add(sum, used), {}),
    limits: Object.assign({}, ...found.map(({ limits }) => limits)),
    positions: Object.fromEntries(variants.map(({ tag }, i) => [tag, documents[i]?.position ?? 0])),
  };
};
