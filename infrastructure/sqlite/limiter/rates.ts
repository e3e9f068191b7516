import type { Charge } from '../../../application/ports/limiter.js';
import { type Limits, type Quota, quotaOf, windowAt, windows } from '../../../domain/rate-limit.js';
import { type Database, inTransaction } from '../database.js';

/** Interval of saving, and so the most that a restart forgets. Seconds are too short to be worth saving. */
const saveIntervalMs = 200;
const kept = windows.filter((window) => window !== 'second');

type Window = (typeof windows)[number];
/** `used` is the count last read from the file plus `unsaved`, the part counted here since. */
type Count = { readonly start: number; readonly end: number; used: number; unsaved: number };
type Counts = Readonly<Record<Window, Count>>;

/**
 * Window nearest to its limit. All windows count alike, so it stays the nearest until one of them starts anew; until
 * then only this one is counted, and the others are brought up to date when they are needed.
 */
type Near = {
  readonly limits: Limits;
  readonly limit: number;
  readonly end: number;
  readonly from: number;
  readonly until: number;
  left: number;
  uncounted: number;
};
type Held = { readonly id: string; counts: Counts | null; near: Near | null };

const isWithin = ({ start, end }: Count, at: number) => at >= start && at < end;

const chargeNear = (near: Near, { limits, cost }: Charge, at: number): Quota | null => {
  if (near.limits !== limits || at < near.from || at >= near.until || near.left < cost) return null;
  near.left -= cost;
  near.uncounted += cost;
  return { allowed: true, limit: near.limit, remaining: near.left, resetMs: near.end - at };
};
const nearIn = (counts: Counts, limits: Limits, { limit, remaining, resetMs }: Quota, at: number): Near => ({
  limits,
  limit,
  end: at + resetMs,
  from: Math.max(...windows.map((window) => counts[window].start)),
  until: Math.min(...windows.map((window) => counts[window].end)),
  left: remaining,
  uncounted: 0,
});
const use = (counts: Counts, cost: number) => {
  for (const window of windows) {
    counts[window].used += cost;
    counts[window].unsaved += cost;
  }
};
/** Adds the charges of the nearest window to all windows. */
const settle = (held: Held) => {
  if (held.counts && held.near) use(held.counts, held.near.uncounted);
  held.near = null;
};

const createHolding = () => {
  const organizations = new Map<string, Map<string, Held>>();
  const begin = (organizationId: string, chain: string) => {
    const chains = organizations.get(organizationId) ?? new Map<string, Held>();
    const held = { id: `${organizationId}/${chain}`, counts: null, near: null };
    organizations.set(organizationId, chains.set(chain, held));
    return held;
  };
  return {
    of: (organizationId: string, chain: string): Held =>
      organizations.get(organizationId)?.get(chain) ?? begin(organizationId, chain),
    all: () => [...organizations.values()].flatMap((chains) => [...chains.values()]),
    /** Forgets organizations without a charge for an hour; their counts are read from the file when they return. */
    forgetBefore: (now: number) => {
      const isOver = ({ counts }: Held) => counts !== null && now >= counts.hour.end;
      for (const [organizationId, chains] of organizations)
        if ([...chains.values()].every(isOver)) organizations.delete(organizationId);
    },
  };
};

/**
 * Counts in memory, for speed, and adds the counts to the file, where other processes add theirs. With several
 * processes on one data directory each allows a second's limit, while the longer windows are shared except for the last
 * moment.
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
  const holding = createHolding();
  let timer: NodeJS.Timeout | undefined;

  const begin = (id: string, window: Window, at: number): Count => {
    const { start, end } = windowAt(window, at);
    const found = window === 'second' ? undefined : (find.get(id, window, start) as { used: number } | undefined);
    return { start, end, used: found?.used ?? 0, unsaved: 0 };
  };
  const countsAt = ({ id, counts }: Held, at: number): Counts => {
    if (counts && windows.every((window) => isWithin(counts[window], at))) return counts;
    const fresh = (window: Window) => (counts && isWithin(counts[window], at) ? counts[window] : begin(id, window, at));
    return Object.fromEntries(windows.map((window) => [window, fresh(window)])) as Counts;
  };
  const chargeAll = (held: Held, { limits, cost, overdraws }: Charge, at: number): Quota => {
    settle(held);
    const counts = countsAt(held, at);
    held.counts = counts;
    const allowed = overdraws || windows.every((window) => counts[window].used + cost <= limits[window]);
    if (allowed) use(counts, cost);
    const quota = quotaOf(limits, counts, { now: at, cost, allowed });
    if (allowed) held.near = nearIn(counts, limits, quota, at);
    return quota;
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
      for (const held of holding.all()) {
        settle(held);
        if (held.counts) for (const window of kept) saveCount(held.id, window, held.counts[window]);
      }
    });
    holding.forgetBefore(now());
  };
  /** Saves after a pause; if the file cannot be written, the counts are kept and saved later. */
  const saveSoon = () => {
    timer ??= setTimeout(() => {
      try {
        save();
      } catch {
        saveSoon();
      }
    }, saveIntervalMs).unref();
  };

  return {
    charge: (charge: Charge): Quota => {
      const at = now();
      const held = holding.of(charge.organizationId, charge.chain);
      saveSoon();
      return (held.near && chargeNear(held.near, charge, at)) ?? chargeAll(held, charge, at);
    },
    close: () => {
      clearTimeout(timer);
      save();
    },
  };
};
