import { refuse } from '../../domain/failure.js';
import type { Moment } from '../ports/event-store.js';

const position = /^\d{1,16}$/;
/** A date, or a time with its zone: without one it would mean another moment on another machine. */
const isoTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** An event position, or an ISO time that is compared with commit times. `name` is what the caller calls it. */
export const momentOf = (given: string, name: string): Moment => {
  if (position.test(given) && Number.isSafeInteger(Number(given))) return { position: Number(given) };
  const time = isoTime.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(time)) return { time };
  return refuse('INVALID_ARGUMENT', `${name} is neither a position nor an ISO time such as 2026-01-31T12:00:00Z`);
};

/** Later than everything. */
export const now: Moment = { position: Number.MAX_SAFE_INTEGER };
