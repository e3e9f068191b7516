/** How many requests an organization may make on one chain, in each of four windows at once. */
export type Limits = {
  readonly second: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
};
type Window = keyof Limits;

/** From the shortest to the longest. */
export const windows: readonly Window[] = ['second', 'hour', 'day', 'month'];

export const defaultLimits: Limits = { second: 100, hour: 100_000, day: 1_000_000, month: 20_000_000 };

const lengthMs = { second: 1000, hour: 3_600_000, day: 86_400_000 } as const;

/** The first moment of the month that a moment falls in, or of the one `later` months after; Unix ms, UTC. */
export const monthStart = (ms: number, later = 0) => {
  // biome-ignore lint/style/noRestrictedGlobals: reckons with the calendar, does not read the clock
  const calendar = Date;
  const date = new calendar(ms);
  return calendar.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

/** The window that a moment falls in, from its first moment to the first after it. Windows start with the clock, in UTC. */
export const windowAt = (window: Window, ms: number): { readonly start: number; readonly end: number } => {
  if (window === 'month') return { start: monthStart(ms), end: monthStart(ms, 1) };
  const start = Math.floor(ms / lengthMs[window]) * lengthMs[window];
  return { start, end: start + lengthMs[window] };
};

/** What is left of a limit, and when it starts anew. */
export type Quota = {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
};

/** `end` in ms, by the clock that `now` is read from. */
type Usage = { readonly used: number; readonly end: number };

type Usages = Readonly<Record<Window, Usage>>;

const leftOf = (limits: Limits, usages: Usages, window: Window) => Math.max(0, limits[window] - usages[window].used);

const nearest = (limits: Limits, usages: Usages): Window => {
  let found: Window = 'second';
  // Every request goes this way, so nothing is made on it.
  for (const one of windows) if (leftOf(limits, usages, one) < leftOf(limits, usages, found)) found = one;
  return found;
};

/** Of those that have no room for it the one that stays full longest: coming back before it starts anew is in vain. */
const fullLongest = (limits: Limits, usages: Usages, cost: number): Window | null => {
  const full = windows.filter((window) => leftOf(limits, usages, window) < cost);
  return full.toSorted((a, b) => usages[b].end - usages[a].end)[0] ?? null;
};

/** Tells of the window that is nearest to its limit, or that refused the request. */
export const quotaOf = (
  limits: Limits,
  usages: Usages,
  { now, cost, allowed }: { now: number; cost: number; allowed: boolean },
): Quota => {
  const told = (allowed ? null : fullLongest(limits, usages, cost)) ?? nearest(limits, usages);
  return { allowed, limit: limits[told], remaining: leftOf(limits, usages, told), resetMs: usages[told].end - now };
};
