import type { Charge } from '../../application/ports/limiter.js';
import { type Limits, type Quota, quotaOf, windowAt, windows } from '../../domain/rate-limit.js';
import { type Database, inTransaction } from './database.js';

/** A restart forgets no more than this; seconds are too short to be worth keeping. */
const saveEveryMs = 200;
const kept = windows.filter((window) => window !== 'second');

/** `used` is what the file held when last looked at plus `unsaved`, what was used here since. */
type Count = { start: number; end: number; used: number; unsaved: number };
type Counts = Record<(typeof windows)[number], Count>;

// Every request goes these ways, so nothing is made on them.
const isCurrent = (held: Counts, at: number) => {
  for (const window of windows) if (at < held[window].start || at >= held[window].end) return false;
  return true;
};
const hasRoom = (held: Counts, limits: Limits, cost: number) => {
  for (const window of windows) if (held[window].used + cost > limits[window]) return false;
  return true;
};
const use = (held: Counts, cost: number) => {
  for (const window of windows) {
    held[window].used += cost;
    held[window].unsaved += cost;
  }
};

/**
 * Counts in memory, for speed, and adds them up in the file, where other processes add theirs: with several on one data
 * directory each allows a second's limit, while the longer windows are shared but for the last moment.
 */
export const createRates = (db: Database, now: () => number) => {
  db.exec(
    'CREATE TABLE IF NOT EXISTS rates (id TEXT, window TEXT, start INTEGER, used INTEGER, PRIMARY KEY (id, window)) WITHOUT ROWID',
  );
  const find = db.prepare('SELECT used FROM rates WHERE id = ? AND window = ? AND start = ?');
  const add = db.prepare(
    `INSERT INTO rates VALUES (?, ?, ?, ?) ON CONFLICT (id, window) DO UPDATE SET
       used = CASE WHEN start = excluded.start THEN used + excluded.used ELSE excluded.used END, start = excluded.start
     WHERE excluded.start >= start RETURNING used`,
  );
  const counts = new Map<string, Counts>();
  let timer: NodeJS.Timeout | undefined;

  const begin = (id: string, window: (typeof windows)[number], at: number): Count => {
    const { start, end } = windowAt(window, at);
    const found = window === 'second' ? undefined : (find.get(id, window, start) as { used: number } | undefined);
    return { start, end, used: found?.used ?? 0, unsaved: 0 };
  };
  const countsOf = (id: string, at: number): Counts => {
    const held = counts.get(id);
    if (held && isCurrent(held, at)) return held;
    const fresh = (window: (typeof windows)[number]) => {
      const count = held?.[window];
      return count && at >= count.start && at < count.end ? count : begin(id, window, at);
    };
    const current = Object.fromEntries(windows.map((window) => [window, fresh(window)])) as Counts;
    counts.set(id, current);
    return current;
  };

  const saveCount = (id: string, window: string, count: Count) => {
    if (count.unsaved === 0) return;
    const saved = add.get(id, window, count.start, count.unsaved) as { used: number } | undefined;
    count.used = saved?.used ?? count.used;
    count.unsaved = 0;
  };
  const save = () => {
    timer = undefined;
    inTransaction(db, () => {
      for (const [id, held] of counts) for (const window of kept) saveCount(id, window, held[window]);
    });
    // Whoever has not come for an hour is found in the file again.
    for (const [id, held] of counts) if (now() >= held.hour.end) counts.delete(id);
  };
  /** A file that cannot be written is tried again; the counts are not lost meanwhile. */
  const saveSoon = () => {
    timer ??= setTimeout(() => {
      try {
        save();
      } catch {
        saveSoon();
      }
    }, saveEveryMs).unref();
  };

  return {
    charge: ({ organizationId, chain, limits, cost }: Charge): Quota => {
      const at = now();
      const held = countsOf(`${organizationId}/${chain}`, at);
      const allowed = hasRoom(held, limits, cost);
      if (allowed) use(held, cost);
      saveSoon();
      return quotaOf(limits, held, { now: at, cost, allowed });
    },
    close: () => {
      clearTimeout(timer);
      save();
    },
  };
};
