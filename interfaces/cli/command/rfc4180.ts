/** Characters with which spreadsheets recognize a formula. */
const startsFormula = /^[=+\-@\t\r]/;
/** Whole or decimal number, which is no formula although it may begin with a sign. */
const isNumber = /^-?\d+(?:\.\d+)?$/;

const isSafe = (value: string) => !startsFormula.test(value) || isNumber.test(value);

/** Matches values that need more than quotation marks around them. */
const isUnusual = /^[=+\-@\t\r]|"/;

/** Quotes a value as RFC 4180 does. An apostrophe before a formula makes spreadsheets show it instead of computing it. */
export const quoted = (value: string) =>
  isUnusual.test(value) ? `"${(isSafe(value) ? value : `'${value}`).replaceAll('"', '""')}"` : `"${value}"`;
