import { failInvalidAnswer } from '../../nodes/node-fault.js';
import { isRaw, type Raw } from '../../nodes/raw.js';

const addressPattern = /^(?:0|-1):[0-9a-f]{64}$/;
const hashPattern = /^[A-Za-z0-9+/_-]{43}=?$/;
const hexPattern = /^[0-9a-f]{64}$/i;
/** Number of at most 80 digits: more than any amount has, and few enough to parse quickly. */
const digits = /^\d{1,80}$/;

/** Reads an address in lower case, the stored form. The index uses capitals. */
export const address = (value: unknown, what: string): string => {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return addressPattern.test(text) ? text : failInvalidAnswer(`${what} is not an address`);
};
/** Reads an address; null if it is absent, as in external messages. */
export const addressOrNone = (value: unknown, what: string): string | null =>
  value === null || value === undefined ? null : address(value, what);

/** Reads a hash as hex. The index uses base64. */
export const hash = (value: unknown, what: string): string => {
  if (typeof value !== 'string') return failInvalidAnswer(`${what} is not a hash`);
  if (hexPattern.test(value)) return value.toLowerCase();
  return hashPattern.test(value)
    ? Buffer.from(value, 'base64').toString('hex')
    : failInvalidAnswer(`${what} is not a hash`);
};

/** Reads a whole number, given as a string or a JSON number. */
export const decimal = (value: unknown, what: string): string => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && digits.test(text) ? text : failInvalidAnswer(`${what} is not a decimal number`);
};

export const integer = (value: unknown, what: string): number => {
  const read = Number(decimal(value, what));
  return Number.isSafeInteger(read) ? read : failInvalidAnswer(`${what} is not a decimal number below 2^53`);
};

export const part = (value: unknown): Raw => (isRaw(value) ? value : {});
