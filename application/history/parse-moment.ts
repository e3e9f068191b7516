import { fail } from '../../domain/failure.js';
import type { Moment } from '../ports/event-store.js';

const position = /^\d{1,16}$/;
/** Date, or time with its zone: without a zone it would mean another moment on another machine. */
const isoTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Returns an ISO time in Unix ms; null when the text is none. */
export const timeOf = (given: string): number | null => {
  const time = isoTime.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(time) ? null : time;
};

/**
 * Parses an event position or an ISO time, which is compared with commit times. `name` is how the caller calls the
 * value.
 */
export const parseAsOf = (given: string, name: string): Moment => {
  if (position.test(given) && Number.isSafeInteger(Number(given))) return { position: Number(given) };
  const time = timeOf(given);
  if (time !== null) return { time };
  return fail('INVALID_ARGUMENT', `${name} is neither a position nor an ISO time such as 2026-01-31T12:00:00Z`);
};

/** Moment after every event. */
export const now: Moment = { position: Number.MAX_SAFE_INTEGER };
