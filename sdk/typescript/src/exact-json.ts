/** Matches numbers, and also strings, so that digits inside strings are not taken for numbers. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const integer = /^-?\d{16,}$/;
/**
 * First character of a string that stands for an integer too large for a number. No other string in a response contains
 * NUL, because requests with NUL are rejected.
 */
const mark = '\u0000';

const isInexact = (token: string) => integer.test(token) && !Number.isSafeInteger(Number(token));

/** Parses JSON. An integer that a number cannot represent exactly becomes a bigint. */
export const readExact = (text: string): unknown => {
  let isPlain = true;
  const marked = text.replace(tokens, (token) => {
    if (!isInexact(token)) return token;
    isPlain = false;
    return JSON.stringify(`${mark}${token}`);
  });
  if (isPlain) return JSON.parse(text);
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(1)) : value,
  );
};
