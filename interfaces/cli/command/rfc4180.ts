/** First characters by which spreadsheets recognize a formula. */
const startsFormula = /^[=+\-@\t\r]/;
/** Whole or decimal number, which is no formula although it may begin with a sign. */
const isNumber = /^-?\d+(?:\.\d+)?$/;

const isSafe = (value: string) => !startsFormula.test(value) || isNumber.test(value);

/** Matches values that may need escaping besides the surrounding quotation marks. */
const isUnusual = /^[=+\-@\t\r]|"/;

/** Quotes a value as RFC 4180 does. Prefixes a formula with an apostrophe, so that spreadsheets do not compute it. */
export const quoted = (value: string) =>
  isUnusual.test(value) ? `"${(isSafe(value) ? value : `'${value}`).replaceAll('"', '""')}"` : `"${value}"`;
