import { fail } from '../../domain/failure.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import type { System } from '../ports/system.js';

/**
 * Maximum number of lookups of unknown keys that a process may make in a burst, and the number of lookups that are
 * added to its budget per second.
 */
export const maxUnknownLookups = 1000;
const perSecond = 200;
/** Maximum number of keys, issued since the start of the process, that are exempt from the budget. */
const maxIssued = 1000;

/**
 * Creates a budget that limits the store reads that unknown keys cause in this process, because no organization can be
 * charged for unknown keys. A lookup that finds its key is refunded.
 */
export const createLookupBudget = ({ now }: Pick<System, 'now'>) => {
  const issued = createBoundedCache<string, true>(maxIssued);
  let left = maxUnknownLookups;
  let filledAt = now();
  const refill = () => {
    left = Math.min(maxUnknownLookups, left + (Math.max(0, now() - filledAt) / 1000) * perSecond);
    filledAt = now();
  };
  return {
    /** Exempts a newly issued key from the budget, so that its lookups are not charged. */
    noteIssued: (key: string): void => issued.set(key, true),
    /** Charges a lookup, or throws if the budget is used up. Returns a function that refunds the charge. */
    charge: (key: string): (() => void) => {
      if (issued.has(key)) return () => undefined;
      refill();
      if (left < 1) return fail('UNAVAILABLE', 'Too many requests with unknown keys. Retry in a second.');
      left--;
      return () => {
        left++;
      };
    },
  };
};
