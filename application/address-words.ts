export const longestWords = 9;

const lowerX = 120;
const zero = 48;
const noDigit = -1;
const digits = new Int8Array(128).fill(noDigit);
for (const [i, character] of [...'0123456789abcdef'].entries()) digits[character.charCodeAt(0)] = i;

/** Eight hex digits as a number; NaN when they are not. */
const wordAt = (text: string, at: number) => {
  let word = 0;
  for (let i = at; i < at + 8; i++) {
    const digit = digits[text.charCodeAt(i)] ?? noDigit;
    if (digit === noDigit) return Number.NaN;
    word = word * 16 + digit;
  }
  return word;
};

/** Writes an address `0x…` or `workchain:…` as 32-bit words and returns how many; 0 when it is neither. */
export const readWords = (address: string, words: Uint32Array): number => {
  let count = 0;
  let at = 2;
  if (address.charCodeAt(1) !== lowerX || address.charCodeAt(0) !== zero) {
    at = address.indexOf(':') + 1;
    words[count++] = Number(address.slice(0, at - 1));
  }
  const length = address.length - at;
  if (at === 0 || length % 8 !== 0 || length / 8 + count > longestWords) return 0;
  for (; at < address.length; at += 8) {
    const word = wordAt(address, at);
    if (Number.isNaN(word)) return 0;
    words[count++] = word;
  }
  return count;
};
