/** ABI encoding of the types that calls to token contracts use: numbers, addresses and strings. */

const digits = 64;
const wordPattern = /^[0-9a-fA-F]{64}$/;
const bytesPattern = /^(?:[0-9a-fA-F]{2})*$/;
const wordEnd = 2n ** 256n;

export const numberWord = (value: bigint): string => value.toString(16).padStart(digits, '0');
export const addressWord = (address: string): string => address.slice(2).padStart(digits, '0');

/** Encodes a decimal token id as a 32-byte word; null if it is not a number below 2^256. */
export const tokenWord = (tokenId: string): string | null => {
  const maxDigits = 78;
  const value = /^\d+$/.test(tokenId) && tokenId.length <= maxDigits ? BigInt(tokenId) : wordEnd;
  return value < wordEnd ? numberWord(value) : null;
};

const wordAt = (answer: unknown, index: number): string | null => {
  const start = 2 + index * digits;
  const text = typeof answer === 'string' && answer.startsWith('0x') ? answer.slice(start, start + digits) : '';
  return wordPattern.test(text) ? text : null;
};

export const numberIn = (answer: unknown, index = 0): bigint | null => {
  const text = wordAt(answer, index);
  return text === null ? null : BigInt(`0x${text}`);
};

export const addressIn = (answer: unknown): string | null => {
  const text = wordAt(answer, 0);
  return text?.startsWith('0'.repeat(24)) ? `0x${text.slice(24).toLowerCase()}` : null;
};

const isWord = (answer: unknown): boolean =>
  typeof answer === 'string' && answer.length === 2 + digits && wordAt(answer, 0) !== null;

export const isTrue = (answer: unknown): boolean => numberIn(answer) === 1n;

/**
 * Returns the bytes of the string in an answer as hex; null if the answer is malformed. Old contracts return `bytes32`
 * instead of `string`.
 */
const textBytes = (answer: string): string | null => {
  if (isWord(answer)) return answer.slice(2);
  const offset = numberIn(answer);
  const maxLength = BigInt(answer.length);
  if (offset === null || offset % 32n !== 0n || offset > maxLength) return null;
  const at = Number(offset / 32n);
  const length = numberIn(answer, at);
  if (length === null || length > maxLength) return null;
  const start = 2 + (at + 1) * digits;
  const text = answer.slice(start, start + Number(length) * 2);
  return text.length === Number(length) * 2 ? text : null;
};

/**
 * Decodes a string from an answer, cut to `maxBytes`; null if the answer contains no string. Invalid UTF-8 becomes
 * U+FFFD.
 */
export const textIn = (
  answer: unknown,
  maxBytes: number,
): { readonly text: string; readonly isWhole: boolean } | null => {
  const bytes = typeof answer === 'string' ? textBytes(answer) : null;
  if (bytes === null) return null;
  const kept = bytes.slice(0, maxBytes * 2);
  if (!bytesPattern.test(kept)) return null;
  return {
    text: Buffer.from(kept, 'hex').toString('utf8').replaceAll('\0', ''),
    isWhole: kept.length === bytes.length,
  };
};
