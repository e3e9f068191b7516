import { client } from '../session/session.js';

/** Times of the first and the last event of a history, in Unix milliseconds. */
export type Life = { readonly first: number; readonly last: number };

export const readLife = async (signal: AbortSignal): Promise<Life> => {
  const { first_time, last_time } = await client.admin.getHistoryBounds({}, { signal });
  return { first: Date.parse(first_time), last: Date.parse(last_time) };
};

/**
 * Time units of bars and their lengths in milliseconds, shortest first. A chart uses the first unit that results in at
 * most 72 bars, or days if every unit results in more bars.
 */
const units = [
  ['second', 1000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const;
type Unit = (typeof units)[number][0];
const maxShortBars = 72;

type Bar = { readonly start: number; readonly end: number; readonly count: number };
export type Activity = {
  readonly unit: Unit;
  readonly bars: readonly Bar[];
  /** Time of the oldest counted event in Unix milliseconds; 0 if all events are counted. */
  readonly countedFrom: number;
};

const unitFor = ({ first, last }: Life) =>
  units.find(([, length]) => (last - first) / length <= maxShortBars) ?? (['day', 86_400_000] as const);

/** Returns the start of the unit at `time` in the user's time zone: a day begins at local midnight. */
const startOf = (time: number, unit: Unit) => {
  const date = new Date(time);
  if (unit === 'day') date.setHours(0, 0, 0, 0);
  if (unit === 'hour') date.setMinutes(0, 0, 0);
  if (unit === 'minute') date.setSeconds(0, 0);
  if (unit === 'second') date.setMilliseconds(0);
  return date.getTime();
};

const countBars = (times: readonly number[], life: Life): { unit: Unit; bars: readonly Bar[] } => {
  const [unit, length] = unitFor(life);
  const counts = new Map<number, number>();
  for (const time of times) {
    const start = startOf(time, unit);
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  const bars = [...counts].map(([start, count]) => ({ start, end: start + length, count }));
  return { unit, bars: bars.toSorted((a, b) => a.start - b.start) };
};

const pageSize = 100;
/** Maximum number of requests for a chart, which therefore counts at most the newest 3,000 events. */
const maxRequests = 30;

/** Counts the newest events in each unit of time, by their commit times. */
export const readActivity = async (life: Life, signal: AbortSignal): Promise<Activity> => {
  const times: number[] = [];
  let token = '';
  for (let count = 0; count < maxRequests; count++) {
    const request = { page_size: pageSize, ...(token && { page_token: token }) };
    const { events, pagination } = await client.admin.listEvents(request, { signal });
    times.push(...events.map(({ commit_time }) => Date.parse(commit_time)));
    token = pagination.next_page_token;
    if (token === '') break;
  }
  return { ...countBars(times, life), countedFrom: token === '' ? 0 : (times.at(-1) ?? 0) };
};
