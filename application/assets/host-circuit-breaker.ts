import { createBoundedCache } from '../async/bounded-cache.js';
import type { System } from '../ports/system.js';

type HostRecord = { readonly failures: number; readonly until: number };

const maxFailures = 3;
/**
 * Duration in ms from which a failed read counts as a failure of its host. Faster failures do not count, because they
 * hardly delay other reads.
 */
const slowMs = 1000;
const openMs = 60_000;
const maxRecords = 10_000;

const hostOf = (uri: string) => (URL.canParse(uri) ? new URL(uri).host : '');

/**
 * Circuit breaker for the hosts of token documents. After `maxFailures` slow failures in a row, reads from a host
 * return null for `openMs`. Each organization has its own breakers, so that one organization cannot block a host for
 * another organization.
 */
export const createHostCircuitBreaker = (system: Pick<System, 'now'>) => {
  const records = createBoundedCache<string, HostRecord>(maxRecords);
  return async (organizationId: string, uri: string, read: () => Promise<string | null>): Promise<string | null> => {
    const key = `${organizationId} ${hostOf(uri)}`;
    const { failures, until } = records.get(key) ?? { failures: 0, until: 0 };
    if (until > system.now()) return null;
    const began = system.now();
    const text = await read();
    const hasTimedOut = text === null && system.now() - began >= slowMs;
    if (!hasTimedOut) records.delete(key);
    else {
      const count = (records.get(key)?.failures ?? failures) + 1;
      records.set(key, { failures: count, until: count >= maxFailures ? system.now() + openMs : 0 });
    }
    return text;
  };
};
