/**
 * Character codes of JSON's delimiters and the backslash. The codes are equal in UTF-8 bytes and in UTF-16 strings.
 */
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
 * Returns the index after the closing quote of the JSON string that opens at `start`, or the length of `bytes` when the
 * string is not closed. Tries the native `indexOf` first, which is fast. Scans byte by byte only if a backslash
 * precedes the quote that `indexOf` finds.
 */
export const afterString = (bytes: Uint8Array, start: number): number => {
  const next = bytes.indexOf(quote, start + 1);
  if (next < 0) return bytes.length;
  return bytes[next - 1] === backslash ? afterEscapes(bytes, start) : next + 1;
};
