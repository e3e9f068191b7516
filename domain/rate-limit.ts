/** Number of requests an organization may make on one chain in each window; all four apply at once. */
export type Limits = {
  readonly second: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
};
type Window = keyof Limits;

/** Windows from the shortest to the longest. */
export const windows: readonly Window[] = ['second', 'hour', 'day', 'month'];

export const defaultLimits: Limits = { second: 100, hour: 100_000, day: 1_000_000, month: 20_000_000 };

/** Limits of operators on the admin API, which belongs to no chain; clients have the defaults there. */
export const operatorLimits: Limits = { second: 1000, hour: 1_000_000, day: 10_000_000, month: 200_000_000 };

/** Addresses, rows or events that one unit of a limit pays for. */
const touchedPerUnit = 100;

/** Returns the cost of a call that touches so many addresses, rows or events. */
export const costOf = (touched: number) => Math.max(1, Math.ceil(touched / touchedPerUnit));

const lengthMs = { second: 1000, hour: 3_600_000, day: 86_400_000 } as const;

/** Returns the start of the month that `ms` falls in, or of the month `later` months after it; Unix ms, UTC. */
export const monthStart = (ms: number, later = 0) => {
  // biome-ignore lint/style/noRestrictedGlobals: computes a calendar date, does not read the clock
  const calendar = Date;
  const date = new calendar(ms);
  return calendar.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

/** Returns the window that `ms` falls in; `end` is the start of the next. Windows are aligned to the clock, in UTC. */
export const windowAt = (window: Window, ms: number): { readonly start: number; readonly end: number } => {
  if (window === 'month') return { start: monthStart(ms), end: monthStart(ms, 1) };
  const start = Math.floor(ms / lengthMs[window]) * lengthMs[window];
  return { start, end: start + lengthMs[window] };
};

/** Remainder of a limit, and the time until it is reset. */
export type Quota = {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
  /** Window that refused the request; absent when the request is allowed. */
  readonly window?: Window;
  /** Present when the limit is a gateway token's own. */
  readonly ofToken?: true;
};

/** Says which limit refused a request, and how an administrator raises it. */
export const overLimit = ({ limit, window, ofToken }: Quota, chain: string) => {
  const most = `no more than ${limit} requests per ${window}`;
  if (ofToken) return `${most} with this token, as it was created`;
  return `${most} on chain ${chain}, which an administrator raises with SetRateLimit`;
};

/** Requests used in a window; `end` is in ms of the same clock as `now`. */
type Usage = { readonly used: number; readonly end: number };

type Usages = Readonly<Record<Window, Usage>>;

const leftOf = (limits: Limits, usages: Usages, window: Window) => Math.max(0, limits[window] - usages[window].used);

const nearest = (limits: Limits, usages: Usages): Window => {
  let found: Window = 'second';
  // A loop without allocations, because every request passes here.
  for (const one of windows) if (leftOf(limits, usages, one) < leftOf(limits, usages, found)) found = one;
  return found;
};

/** Finds the full window that is reset last: a request that is repeated earlier would be refused again. */
const fullLongest = (limits: Limits, usages: Usages, cost: number): Window | null => {
  const full = windows.filter((window) => leftOf(limits, usages, window) < cost);
  return full.toSorted((a, b) => usages[b].end - usages[a].end)[0] ?? null;
};

/** Describes the window that is nearest to its limit, or the one that refused the request. */
export const quotaOf = (
  limits: Limits,
  usages: Usages,
  { now, cost, allowed }: { now: number; cost: number; allowed: boolean },
): Quota => {
  const told = (allowed ? null : fullLongest(limits, usages, cost)) ?? nearest(limits, usages);
  const quota = {
    allowed,
    limit: limits[told],
    remaining: leftOf(limits, usages, told),
    resetMs: usages[told].end - now,
  };
  return allowed ? quota : { ...quota, window: told };
};
