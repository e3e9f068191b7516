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

/**
 * Tells of the window that is nearest to its limit. When the request was refused: of the one that stays full longest,
 * since coming back before it starts anew is in vain.
 */
export const quotaOf = (
  limits: Limits,
  usage: Readonly<Record<Window, Usage>>,
  { now, cost, allowed }: { now: number; cost: number; allowed: boolean },
): Quota => {
  const left = (window: Window) => Math.max(0, limits[window] - usage[window].used);
  const full = allowed ? [] : windows.filter((window) => left(window) < cost);
  const told =
    full.length > 0
      ? full.reduce((longest, one) => (usage[one].end > usage[longest].end ? one : longest))
      : windows.reduce((nearest, one) => (left(one) < left(nearest) ? one : nearest));
  return { allowed, limit: limits[told], remaining: left(told), resetMs: usage[told].end - now };
};
