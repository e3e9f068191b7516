import { fail } from '../../domain/failure.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import type { System } from '../ports/system.js';

/** Lookups of unknown keys that a process may make at once, and the number by which this budget grows per second. */
export const maxUnknownLookups = 1000;
const perSecond = 200;
/** Limit of remembered keys that were issued while the process runs. */
const maxIssued = 1000;

/**
 * Limits the store reads that unknown keys cause in this process, because they are charged to no organization. A lookup
 * that finds its key costs nothing.
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
    /** Exempts a key that was just issued. */
    noteIssued: (key: string): void => issued.set(key, true),
    /** Charges a lookup, or throws. Returns a function that takes the charge back. */
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
