import type { App } from '../../application/app.js';
import { costOf, type Quota } from '../../domain/rate-limit.js';
import type { Variant } from '../../domain/variant.js';
import type { Caller } from '../operations/define.js';
import { type Headers, rateHeaders } from './answer.js';

export type Meter = (touched: number) => void;

/** Returns the number of items in the top-level lists of a request or an answer. */
export const itemsIn = (body: object): number =>
  Object.values(body).reduce<number>((sum, member) => sum + (Array.isArray(member) ? member.length : 0), 0);

/**
 * Creates a meter, which counts the items that an admitted request touches and charges one more unit for every further
 * hundred. The first unit was charged at admission. A charge during the request may exceed the limit: the next request
 * of the caller is then rejected.
 */
export const createMeter = (
  app: App,
  caller: Pick<Caller, 'organizationId' | 'role'>,
  variant: Variant,
  headers: Headers,
): Meter => {
  let [touched, charged] = [0, 1];
  headers['ratelimit-cost'] = '1';
  const updateHeaders = (quota: Quota) => void Object.assign(headers, rateHeaders(quota));
  return (count) => {
    touched += count;
    const more = costOf(touched) - charged;
    if (more === 0) return;
    charged += more;
    headers['ratelimit-cost'] = String(charged);
    const answer = app.access.chargeMore(caller, variant, more);
    // Ignores a failure of the limiter, because the request was already admitted.
    if (answer instanceof Promise) answer.then(updateHeaders).catch(() => undefined);
    else updateHeaders(answer);
  };
};
