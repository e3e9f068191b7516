/**
 * Rate limits of an organization on one chain, or of a gateway token: maximum cost of requests per window, in units
 * (`costOf`). All four windows apply at the same time.
 */
export type Limits = {
  /** Maximum total cost, in units, of the requests in one second. */
  readonly second: number;
  /** Maximum total cost, in units, of the requests in one hour. */
  readonly hour: number;
  /** Maximum total cost, in units, of the requests in one UTC day. */
  readonly day: number;
  /** Maximum total cost, in units, of the requests in one UTC calendar month. */
  readonly month: number;
};
type Window = keyof Limits;

/** Windows, shortest first. */
export const windows: readonly Window[] = ['second', 'hour', 'day', 'month'];

export const defaultLimits: Limits = { second: 100, hour: 100_000, day: 1_000_000, month: 20_000_000 };

/**
 * Limits of admin credentials on the admin API, which belongs to no chain. Other credentials have `defaultLimits` on
 * the admin API.
 */
export const operatorLimits: Limits = { second: 1000, hour: 1_000_000, day: 10_000_000, month: 200_000_000 };

/** Number of addresses, rows or events that one unit of a rate limit covers. */
const itemsPerUnit = 100;

/** Returns the cost, in units, of a call that touches this many addresses, rows or events; at least 1. */
export const costOf = (touched: number) => Math.max(1, Math.ceil(touched / itemsPerUnit));

const lengthMs = { second: 1000, hour: 3_600_000, day: 86_400_000 } as const;

/** Returns the start of the UTC month that contains `ms`, or of the month `later` months after it, in Unix ms. */
export const monthStart = (ms: number, later = 0) => {
  // biome-ignore lint/style/noRestrictedGlobals: computes a calendar date, does not read the clock
  const calendar = Date;
  const date = new calendar(ms);
  return calendar.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

/** Returns the window that contains `ms`, in Unix ms; `end` is exclusive. Windows are aligned to the UTC clock. */
export const windowAt = (window: Window, ms: number): { readonly start: number; readonly end: number } => {
  if (window === 'month') return { start: monthStart(ms), end: monthStart(ms, 1) };
  const start = Math.floor(ms / lengthMs[window]) * lengthMs[window];
  return { start, end: start + lengthMs[window] };
};

/** Outcome of a rate-limit check: the limit, the remaining units and the milliseconds until the limit resets. */
export type Quota = {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
  /** Window whose limit the request exceeds; absent when the request is allowed. */
  readonly window?: Window;
  /** Present when the limit belongs to a gateway token rather than to the organization. */
  readonly ofToken?: true;
};

/** Describes the exceeded limit and how to raise it; ends without a period. */
export const overLimit = ({ limit, window, ofToken }: Quota, chain: string) => {
  const allowed = `calls may cost at most ${limit} per ${window}`;
  if (ofToken) return `${allowed} with this gateway token. Create a token with a higher per_second_limit`;
  return `${allowed} on chain ${chain}. An administrator can raise the limit with SetRateLimit`;
};

/**
 * Units used in a window. `end` is the time at which the window ends in ms, on the same clock as `now` in `quotaOf`.
 */
type Usage = { readonly used: number; readonly end: number };

type Usages = Readonly<Record<Window, Usage>>;

const leftOf = (limits: Limits, usages: Usages, window: Window) => Math.max(0, limits[window] - usages[window].used);

const tightestWindow = (limits: Limits, usages: Usages): Window => {
  let found: Window = 'second';
  // The loop allocates nothing, because it runs for every request.
  for (const one of windows) if (leftOf(limits, usages, one) < leftOf(limits, usages, found)) found = one;
  return found;
};

/**
 * Returns the window that resets last among the windows with fewer than `cost` units left; null if all windows have
 * enough. A retry before the reset of that window would be rejected again.
 */
const lastResetFullWindow = (limits: Limits, usages: Usages, cost: number): Window | null => {
  const full = windows.filter((window) => leftOf(limits, usages, window) < cost);
  return full.toSorted((a, b) => usages[b].end - usages[a].end)[0] ?? null;
};

/**
 * Reports the window whose limit the request exceeds, or, for an allowed request, the window with the fewest units
 * left.
 */
export const quotaOf = (
  limits: Limits,
  usages: Usages,
  { now, cost, allowed }: { now: number; cost: number; allowed: boolean },
): Quota => {
  const window = (allowed ? null : lastResetFullWindow(limits, usages, cost)) ?? tightestWindow(limits, usages);
  const quota = {
    allowed,
    limit: limits[window],
    remaining: leftOf(limits, usages, window),
    resetMs: usages[window].end - now,
  };
  return allowed ? quota : { ...quota, window };
};
