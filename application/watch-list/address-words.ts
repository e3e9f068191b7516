import { maxAddressLength } from '../../domain/aggregates/address.js';

/** Number of 32-bit words of the longest address in the widest encoding, with two characters per word. */
export const maxAddressWords = maxAddressLength / 2;

/**
 * Numbers that identify the encodings of an address. The heading of an encoded address combines the number of its
 * encoding and its number of words, so that addresses with equal words but different encodings have different
 * headings. For texts, the number of unused characters in the last word (0 to 3) is added to the number of the
 * encoding.
 */
const forms = { hex: 1, raw: 2, ascii: 4, wide: 8 } as const;
const maxCount = 0xff;
const headed = (form: number, count: number) => form * (maxCount + 1) + count;
export const countIn = (heading: number) => heading & maxCount;
/** Heading of a text that exceeds the maximum address length. */
export const tooLong = 0;

const lowerX = 120;
const zero = 48;
const noDigit = -1;
const digits = new Int8Array(128).fill(noDigit);
for (const [i, character] of [...'0123456789abcdef'].entries()) digits[character.charCodeAt(0)] = i;

/** Parses eight hex digits; NaN when a character is not a lower-case hex digit. */
const wordAt = (text: string, at: number) => {
  let word = 0;
  for (let i = at; i < at + 8; i++) {
    const digit = digits[text.charCodeAt(i)] ?? noDigit;
    if (digit === noDigit) return Number.NaN;
    word = word * 16 + digit;
  }
  return word;
};

/**
 * Appends the hex digits from index `at` to the words. Returns the new number of words, or 0 if the rest of the address
 * has other characters or does not fill whole words.
 */
const readHex = (address: string, at: number, words: Uint32Array, before: number): number => {
  if ((address.length - at) % 8 !== 0) return 0;
  let count = before;
  for (let i = at; i < address.length; i += 8) {
    const word = wordAt(address, i);
    if (Number.isNaN(word)) return 0;
    words[count++] = word;
  }
  return count;
};

/**
 * Encodes a raw TON address, `workchain:…`. Returns 0 for any other text, including a text with a plus sign or leading
 * zeros in the workchain; such a text is encoded character by character, so that it stays distinct.
 */
const readRaw = (address: string, words: Uint32Array): number => {
  const end = address.indexOf(':');
  if (end < 1) return 0;
  const written = address.slice(0, end);
  const workchain = Number(written) | 0;
  if (String(workchain) !== written) return 0;
  words[0] = workchain;
  return readHex(address, end + 1, words, 1);
};

/** Packs 4 or 2 characters into each word and returns the heading. */
const readText = (address: string, words: Uint32Array, bits: 8 | 16): number => {
  const perWord = 32 / bits;
  let count = 0;
  for (let at = 0; at < address.length; at += perWord) {
    let word = 0;
    for (let i = 0; i < perWord; i++)
      word = (word << bits) | (at + i < address.length ? address.charCodeAt(at + i) : 0);
    words[count++] = word;
  }
  const lacking = count * perWord - address.length;
  return headed((bits === 8 ? forms.ascii : forms.wide) + lacking, count);
};

const isAscii = (text: string) => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
};

/**
 * Encodes an address as 32-bit words and returns the heading. Heading and words together are unique. Hex addresses and
 * `workchain:…` take half a byte per digit, other texts one byte per character, or two in a text with a non-ASCII
 * character.
 */
export const readWords = (address: string, words: Uint32Array): number => {
  if (address.length > maxAddressLength) return tooLong;
  const isHex = address.charCodeAt(1) === lowerX && address.charCodeAt(0) === zero;
  const count = isHex ? readHex(address, 2, words, 0) : readRaw(address, words);
  if (count > 0) return headed(isHex ? forms.hex : forms.raw, count);
  return readText(address, words, isAscii(address) ? 8 : 16);
};
