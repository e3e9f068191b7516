import { retentionMs } from '../../../application/access/request-nonces.js';
import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { Database } from '../database.js';

/**
 * Maximum number of nonces deleted per sweep: few enough not to delay requests, enough for 10,000 requests per second.
 */
const maxSweptNonces = 2000;
const maxSpans = 100;

/**
 * Creates the manager of spans, which are the time ranges of nonces. Only the newest `maxSpans` spans are kept, because
 * older spans are no longer in use.
 */
const createSpans = (db: Database) => {
  const add = db.prepare('INSERT OR IGNORE INTO spans (id) VALUES (?)');
  const drop = db.prepare(`DELETE FROM spans WHERE number <= (SELECT max(number) FROM spans) - ${maxSpans}`);
  const find = db.prepare('SELECT id FROM spans WHERE id = ?');
  const known = createBoundedCache<string, true>(maxSpans);
  const load = (id: string) => {
    const isFound = find.get(id) !== undefined;
    if (isFound) known.set(id, true);
    return isFound;
  };
  return {
    isKnown: (id: string | undefined) => id === undefined || known.has(id) || load(id),
    open: (id: string) => {
      add.run(id);
      drop.run();
    },
  };
};

/** Creates a table of spent nonces and of the spans to which they belong. */
export const createNonceTable = (db: Database) => {
  const spans = createSpans(db);
  const add = db.prepare('INSERT OR IGNORE INTO nonces VALUES (?, ?)');
  // Nonces begin with their time, so the oldest nonces are one range of the primary key.
  const drop = db.prepare(
    `DELETE FROM nonces WHERE (nonce, api_key) IN (SELECT nonce, api_key FROM nonces WHERE nonce < ? LIMIT ${maxSweptNonces})`,
  );
  /**
   * Time of the nonce that was spent last. The sweep depends on nonces instead of the clock, because the clock may
   * jump.
   */
  let latest = 0;
  return {
    spend: (apiKey: string, nonce: string, span: string | undefined) => {
      if (!spans.isKnown(span)) return 'forgotten';
      latest = Number(nonce.slice(0, 13)) || latest;
      return Number(add.run(nonce, apiKey).changes) === 1 ? 'fresh' : 'replayed';
    },
    openSpan: spans.open,
    sweep: () => drop.run(String(latest - retentionMs)),
  };
};
