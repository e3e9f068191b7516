/** The characters that JSON is made of, by their codes, which are the same for bytes of UTF-8 and for characters of a string. */
export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const backslash = 0x5c;
export const openList = 0x5b;
export const closeList = 0x5d;
export const openObject = 0x7b;
export const closeObject = 0x7d;

const afterEscapes = (bytes: Uint8Array, start: number): number => {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === backslash) at++;
    else if (bytes[at] === quote) return at + 1;
  }
  return bytes.length;
};

/**
 * Finds where a JSON string ends that starts at the quote: the place after its closing quote, or the end where there is none.
 * Leaps to the next quote, so that a long string costs little more than a short one; only where that quote is escaped the
 * string is walked through, since leaps from quote to quote would cost more where there are many.
 */
export const afterString = (bytes: Uint8Array, start: number): number => {
  const next = bytes.indexOf(quote, start + 1);
  if (next < 0) return bytes.length;
  return bytes[next - 1] === backslash ? afterEscapes(bytes, start) : next + 1;
};
