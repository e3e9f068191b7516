import type { Charge } from '../../../application/ports/limiter.js';
import { type Limits, type Quota, quotaOf, windowAt, windows } from '../../../domain/rate-limit.js';
import { type Database, inTransaction } from '../database.js';

/** Table of the costs charged, with one row for each window of an organization and chain. */
export const ratesTable =
  'CREATE TABLE IF NOT EXISTS rates (id TEXT, window TEXT, start INTEGER, used INTEGER, PRIMARY KEY (id, window)) WITHOUT ROWID';

/** Interval in ms at which counts are saved. A crash loses at most the counts of this interval. */
const saveIntervalMs = 200;
const savedWindows = windows.filter((window) => window !== 'second');

type Window = (typeof windows)[number];
/**
 * Cost charged in one window. `used` is the cost in the file plus `unsaved`, the part that this process charged since
 * the last save.
 */
type Count = { readonly start: number; readonly end: number; used: number; unsaved: number };
type Counts = Readonly<Record<Window, Count>>;

/**
 * Window nearest to its limit. All windows count the same charges, so this window stays the nearest until one of the
 * windows restarts. Until then only this window is updated; `uncounted` is the cost that the other windows still lack.
 */
type NearestWindow = {
  readonly limits: Limits;
  readonly limit: number;
  readonly end: number;
  readonly from: number;
  readonly until: number;
  left: number;
  uncounted: number;
};
type Account = { readonly id: string; counts: Counts | null; nearest: NearestWindow | null };

const isWithin = ({ start, end }: Count, at: number) => at >= start && at < end;

const chargeNearest = (nearest: NearestWindow, { limits, cost }: Charge, at: number): Quota | null => {
  if (nearest.limits !== limits || at < nearest.from || at >= nearest.until || nearest.left < cost) return null;
  nearest.left -= cost;
  nearest.uncounted += cost;
  return { allowed: true, limit: nearest.limit, remaining: nearest.left, resetMs: nearest.end - at };
};
const nearestWindowIn = (
  counts: Counts,
  limits: Limits,
  { limit, remaining, resetMs }: Quota,
  at: number,
): NearestWindow => ({
  limits,
  limit,
  end: at + resetMs,
  from: Math.max(...windows.map((window) => counts[window].start)),
  until: Math.min(...windows.map((window) => counts[window].end)),
  left: remaining,
  uncounted: 0,
});
const addCost = (counts: Counts, cost: number) => {
  for (const window of windows) {
    counts[window].used += cost;
    counts[window].unsaved += cost;
  }
};
/** Adds the charges that were counted only in the nearest window to the counts of all windows. */
const settle = (account: Account) => {
  if (account.counts && account.nearest) addCost(account.counts, account.nearest.uncounted);
  account.nearest = null;
};

const createAccounts = () => {
  const organizations = new Map<string, Map<string, Account>>();
  const begin = (organizationId: string, chain: string) => {
    const chains = organizations.get(organizationId) ?? new Map<string, Account>();
    const account = { id: `${organizationId}/${chain}`, counts: null, nearest: null };
    organizations.set(organizationId, chains.set(chain, account));
    return account;
  };
  return {
    of: (organizationId: string, chain: string): Account =>
      organizations.get(organizationId)?.get(chain) ?? begin(organizationId, chain),
    all: () => [...organizations.values()].flatMap((chains) => [...chains.values()]),
    /**
     * Drops from memory the accounts of organizations without a charge in the current hour. The next charge of such an
     * organization reads its counts from the file.
     */
    forgetBefore: (now: number) => {
      const isOver = ({ counts }: Account) => counts !== null && now >= counts.hour.end;
      for (const [organizationId, chains] of organizations)
        if ([...chains.values()].every(isOver)) organizations.delete(organizationId);
    },
  };
};

/**
 * Creates a counter of charges. It counts in memory and adds the charges to the file every 200 ms, where other
 * processes add theirs. If several processes share a data directory but are not workers of one service, each process
 * applies the limit per second on its own. Longer windows are shared, except for the charges that are not saved yet.
 */
export const createRates = (db: Database, now: () => number) => {
  const find = db.prepare('SELECT used FROM rates WHERE id = ? AND window = ? AND start = ?');
  const add = db.prepare(
    `INSERT INTO rates VALUES (?, ?, ?, ?) ON CONFLICT (id, window) DO UPDATE SET
       used = CASE WHEN start = excluded.start THEN used + excluded.used ELSE excluded.used END, start = excluded.start
     WHERE excluded.start >= start RETURNING used`,
  );
  const accounts = createAccounts();
  let timer: NodeJS.Timeout | undefined;

  const begin = (id: string, window: Window, at: number): Count => {
    const { start, end } = windowAt(window, at);
    const found = window === 'second' ? undefined : (find.get(id, window, start) as { used: number } | undefined);
    return { start, end, used: found?.used ?? 0, unsaved: 0 };
  };
  const countsAt = ({ id, counts }: Account, at: number): Counts => {
    if (counts && windows.every((window) => isWithin(counts[window], at))) return counts;
    const fresh = (window: Window) => (counts && isWithin(counts[window], at) ? counts[window] : begin(id, window, at));
    return Object.fromEntries(windows.map((window) => [window, fresh(window)])) as Counts;
  };
  const chargeAll = (account: Account, { limits, cost, overdraws }: Charge, at: number): Quota => {
    settle(account);
    const counts = countsAt(account, at);
    account.counts = counts;
    const allowed = overdraws || windows.every((window) => counts[window].used + cost <= limits[window]);
    if (allowed) addCost(counts, cost);
    const quota = quotaOf(limits, counts, { now: at, cost, allowed });
    if (allowed) account.nearest = nearestWindowIn(counts, limits, quota, at);
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
      for (const account of accounts.all()) {
        settle(account);
        if (account.counts) for (const window of savedWindows) saveCount(account.id, window, account.counts[window]);
      }
    });
    accounts.forgetBefore(now());
  };
  /** Saves after a pause. If the file cannot be written, the counts are kept and saved later. */
  const scheduleSave = () => {
    timer ??= setTimeout(() => {
      try {
        save();
      } catch {
        scheduleSave();
      }
    }, saveIntervalMs).unref();
  };

  return {
    charge: (charge: Charge): Quota => {
      const at = now();
      const account = accounts.of(charge.organizationId, charge.chain);
      scheduleSave();
      return (account.nearest && chargeNearest(account.nearest, charge, at)) ?? chargeAll(account, charge, at);
    },
    close: () => {
      clearTimeout(timer);
      save();
    },
  };
};
