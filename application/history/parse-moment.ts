import { fail } from '../../domain/failure.js';
import type { Moment } from '../ports/event-store.js';

const position = /^\d{1,16}$/;
/**
 * ISO 8601 date, or time with a zone. A time without a zone is rejected, because it would depend on the machine's zone.
 */
const isoTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Parses an ISO 8601 time to Unix ms; null when the text is not such a time. */
export const timeOf = (given: string): number | null => {
  const time = isoTime.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(time) ? null : time;
};

/** Parses an event position or an ISO 8601 time, which is compared with commit times. `name` names the value in errors. */
export const parseAsOf = (given: string, name: string): Moment => {
  if (position.test(given) && Number.isSafeInteger(Number(given))) return { position: Number(given) };
  const time = timeOf(given);
  if (time !== null) return { time };
  return fail(
    'INVALID_ARGUMENT',
    `${name} must be an event position, or an ISO 8601 time with a zone such as 2026-01-31T12:00:00Z`,
  );
};
