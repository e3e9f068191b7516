import { fail } from '../../../domain/failure.js';

/** Period of an audit. Both ends are inclusive, in Unix ms. */
export type Period = { readonly name: string; readonly start: number; readonly end: number };

type Range = { readonly start: number; readonly end: number };

const days = (year: number, month: number, day: number, next: readonly [number, number, number]): Range => ({
  start: Date.UTC(year, month, day),
  end: Date.UTC(...next) - 1,
});
const months = (year: number, month: number, count: number) => days(year, month, 1, [year, month + count, 1]);

/** Parses a day, or a time with a zone; null for other texts, including days that do not exist, such as 2026-02-30. */
const instant = (text: string): Range | null => {
  const [, year, month, date] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number);
  if (year !== undefined && month !== undefined && date !== undefined) {
    const day = days(year, month - 1, date, [year, month - 1, date + 1]);
    return new Date(day.start).toISOString().startsWith(text) ? day : null;
  }
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  const time = isTime ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : { start: time, end: time };
};

const monthsPerQuarter = 3;
const forms: readonly { readonly form: RegExp; readonly range: (...parts: string[]) => Range | null }[] = [
  { form: /^(\d{4})$/, range: (year) => months(Number(year), 0, 12) },
  {
    form: /^(\d{4})-Q([1-4])$/,
    range: (year, quarter) => months(Number(year), monthsPerQuarter * (Number(quarter) - 1), monthsPerQuarter),
  },
  { form: /^(\d{4})-(0[1-9]|1[0-2])$/, range: (year, month) => months(Number(year), Number(month) - 1, 1) },
  { form: /^(\d{4}-\d{2}-\d{2})$/, range: (day = '') => instant(day) },
  {
    form: /^([^/]{10,29})\/([^/]{10,29})$/,
    range: (from = '', to = '') => {
      const [first, last] = [instant(from), instant(to)];
      return first && last && { start: first.start, end: last.end };
    },
  },
];

/**
 * Parses a year, quarter, month or day in UTC, or two days or times with a slash between them. A day at the end is
 * included as a whole.
 */
export const parsePeriod = (text: string): Period => {
  const found = forms.flatMap(({ form, range }) => {
    const parts = form.exec(text);
    return parts ? [range(...parts.slice(1))] : [];
  })[0];
  if (!found)
    return fail(
      'INVALID_ARGUMENT',
      '--period must be a year (2026), quarter (2026-Q1), month (2026-01) or day (2026-01-31) in UTC, or START/END with days or with times that have a zone',
    );
  if (found.end < found.start)
    return fail('INVALID_ARGUMENT', `--period ${text} ends before it starts. Swap its two ends.`);
  return { name: text, ...found };
};
