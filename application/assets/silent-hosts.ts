import { createBoundedCache } from '../async/bounded-cache.js';
import type { System } from '../ports/system.js';

type Record = { readonly failures: number; readonly until: number };

const failuresToAvoid = 3;
/** A read that fails faster than this costs too little to be avoided. */
const slowMs = 1000;
const avoidedMs = 60_000;
const remembered = 10_000;

const hostOf = (uri: string) => (URL.canParse(uri) ? new URL(uri).host : '');

/**
 * Avoids hosts that let reads of an organization time out several times in a row. The records are kept by organization,
 * so that reads of one organization cannot make a host unreachable for another.
 */
export const createSilentHosts = (system: Pick<System, 'now'>) => {
  const records = createBoundedCache<string, Record>(remembered);
  return async (organizationId: string, uri: string, read: () => Promise<string | null>): Promise<string | null> => {
    const key = `${organizationId} ${hostOf(uri)}`;
    const { failures, until } = records.get(key) ?? { failures: 0, until: 0 };
    if (until > system.now()) return null;
    const began = system.now();
    const text = await read();
    const isSilent = text === null && system.now() - began >= slowMs;
    if (!isSilent) records.delete(key);
    else {
      const count = (records.get(key)?.failures ?? failures) + 1;
      records.set(key, { failures: count, until: count >= failuresToAvoid ? system.now() + avoidedMs : 0 });
    }
    return text;
  };
};
