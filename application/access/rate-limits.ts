import { organization } from '../../domain/aggregates/organization.js';
import { defaultLimits, type Limits } from '../../domain/rate-limit.js';
import { globalVariant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import { type OrganizationDocument, type RateLimitDocument, rateLimits } from '../../projections/organizations.js';
import { type Done, globalContext, type Handle, type Nothing, type Operation, step } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import { everyDocument } from '../read-models/paging.js';
import { applicable } from './limit-cache.js';

export type RateLimitRecord = {
  organization_id: string;
  ratelimit_info: {
    chain: string;
    per_second_limit: number;
    per_hour_limit: number;
    per_day_limit: number;
    per_month_limit: number;
  };
  create_time: string;
  update_time: string;
};

/**
 * Rate limits of organizations. A rate limit with an empty `chain` applies to every chain without its own rate limit.
 */
export type RateLimits = {
  set(by: Operation, organizationId: string, chain: string, limits: Limits): Promise<Done<Nothing>>;
  /** Deletes the organization's rate limit of `chain`, or all its rate limits when `chain` is undefined. */
  delete(by: Operation, organizationId: string, chain: string | undefined): Promise<Done<Nothing>>;
  /**
   * Returns the rate limit that applies to a chain. If none was set, returns the default limits with the organization's
   * creation time.
   */
  find(of: OrganizationDocument, chain: string): Promise<RateLimitRecord>;
  /**
   * Lists the rate limits that were set, newest first: the rate limit of `chain`, or the rate limits of all chains if
   * `chain` is undefined.
   */
  list(organizationId: string, chain: string | undefined): Promise<RateLimitRecord[]>;
};

const show = (document: Omit<RateLimitDocument, 'position'>): RateLimitRecord => {
  const { organization_id, chain, limits, create_time, update_time } = document;
  return {
    organization_id,
    ratelimit_info: {
      chain,
      per_second_limit: limits.second,
      per_hour_limit: limits.hour,
      per_day_limit: limits.day,
      per_month_limit: limits.month,
    },
    create_time,
    update_time,
  };
};

export const createRateLimits = (ports: { handle: Handle; readModels: ReadModels }): RateLimits => {
  const { handle, readModels } = ports;

  const stored = async (organizationId: string) => {
    const found: RateLimitDocument[] = [];
    const scope = scopeOf(organizationId, globalVariant.tag);
    for await (const document of everyDocument(readModels, rateLimits, scope)) found.push(document);
    return found;
  };
  return {
    set: async (by, organizationId, chain, limits) => {
      const position = await handle(globalContext(by, organizationId), [
        step(organization, organizationId, organizationId, {
          type: 'SetRateLimit',
          data: { organizationId, chain, limits },
        }),
      ]);
      return { answer: {}, position };
    },
    delete: async (by, organizationId, chain) => {
      const position = await handle(globalContext(by, organizationId), [
        step(organization, organizationId, organizationId, {
          type: 'DeleteRateLimit',
          data: { organizationId, chain },
        }),
      ]);
      return { answer: {}, position };
    },
    find: async ({ organization_id, create_time }, chain) => {
      const byChain = Object.fromEntries((await stored(organization_id)).map((document) => [document.chain, document]));
      const defaults = { organization_id, chain: '', limits: defaultLimits, create_time, update_time: create_time };
      return show(applicable(byChain, chain) ?? defaults);
    },
    list: async (organizationId, chain) =>
      (await stored(organizationId)).filter((document) => chain === undefined || document.chain === chain).map(show),
  };
};
