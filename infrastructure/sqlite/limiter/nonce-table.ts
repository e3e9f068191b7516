import { rememberedMs } from '../../../application/access/nonces.js';
import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { Database } from '../database.js';

/**
 * Nonces deleted per sweep: few enough not to delay requests, enough to keep up with ten thousand requests a second.
 */
const sweptAtOnce = 2000;
const rememberedSpans = 100;

/** Spans of nonces that this file knows; of many only the last are in use, so that the others may be forgotten. */
const createSpans = (db: Database) => {
  const add = db.prepare('INSERT OR IGNORE INTO spans (id) VALUES (?)');
  const drop = db.prepare(`DELETE FROM spans WHERE number <= (SELECT max(number) FROM spans) - ${rememberedSpans}`);
  const find = db.prepare('SELECT id FROM spans WHERE id = ?');
  const known = createBoundedCache<string, true>(rememberedSpans);
  const look = (id: string) => {
    const isFound = find.get(id) !== undefined;
    if (isFound) known.set(id, true);
    return isFound;
  };
  return {
    isKnown: (id: string | undefined) => id === undefined || known.get(id) === true || look(id),
    open: (id: string) => {
      add.run(id);
      drop.run();
    },
  };
};

/** Nonces that were spent, and the spans that they belong to. */
export const createNonceTable = (db: Database) => {
  const spans = createSpans(db);
  const add = db.prepare('INSERT OR IGNORE INTO nonces VALUES (?, ?)');
  // Nonces begin with their time, so the oldest are one range of the primary key.
  const drop = db.prepare(
    `DELETE FROM nonces WHERE (nonce, api_key) IN (SELECT nonce, api_key FROM nonces WHERE nonce < ? LIMIT ${sweptAtOnce})`,
  );
  /** Time of the nonce that was spent last: what is forgotten depends on nonces, since the clock may jump. */
  let latest = 0;
  return {
    spend: (apiKey: string, nonce: string, span: string | undefined) => {
      if (!spans.isKnown(span)) return 'forgotten';
      latest = Number(nonce.slice(0, 13)) || latest;
      return Number(add.run(nonce, apiKey).changes) === 1 ? 'fresh' : 'replayed';
    },
    openSpan: spans.open,
    sweep: () => drop.run(String(latest - rememberedMs)),
  };
};
