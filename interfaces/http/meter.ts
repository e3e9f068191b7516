import type { Identity } from '../../application/access/credential-cache.js';
import type { App } from '../../application/app.js';
import { costOf, type Quota } from '../../domain/rate-limit.js';
import type { Variant } from '../../domain/variant.js';
import { type Headers, rateHeaders } from './answer.js';

export type Meter = (touched: number) => void;

/** Counts the items of the lists of a request or an answer. */
export const itemsIn = (body: object): number =>
  Object.values(body).reduce<number>((sum, member) => sum + (Array.isArray(member) ? member.length : 0), 0);

/**
 * Counts what an admitted request touches and charges 1 more for each further hundred. The first unit was charged at
 * admission; what is found out later may overdraw a limit, so that the caller's next request waits.
 */
export const createMeter = (app: App, caller: Identity, variant: Variant, headers: Headers): Meter => {
  let [touched, charged] = [0, 1];
  headers['ratelimit-cost'] = '1';
  const tell = (quota: Quota) => void Object.assign(headers, rateHeaders(quota));
  return (count) => {
    touched += count;
    const more = costOf(touched) - charged;
    if (more === 0) return;
    charged += more;
    headers['ratelimit-cost'] = String(charged);
    const answer = app.access.chargeMore(caller, variant, more);
    // The request was admitted: a limiter that fails now does not undo its work.
    if (answer instanceof Promise) answer.then(tell).catch(() => undefined);
    else tell(answer);
  };
};
