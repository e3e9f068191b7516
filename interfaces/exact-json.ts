/** JSON with exact integers: an integer that a number cannot represent exactly is a bigint. */

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Array.isArray(value)
    ? value.map((item: unknown) => ['', item] as const)
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [JSON.stringify(name), member] as const);

/** Serializes like `JSON.stringify`, but supports bigints. `indent` is the number of spaces per level; 0 for one line. */
export const writeExact = (value: unknown, indent = 0, depth = 0): string => {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const line = (level: number) => (indent === 0 ? '' : `\n${' '.repeat(indent * level)}`);
  const colon = indent === 0 ? ':' : ': ';
  const members = membersOf(value).map(
    ([name, member]) => `${line(depth + 1)}${name === '' ? '' : name + colon}${writeExact(member, indent, depth + 1)}`,
  );
  return members.length === 0 ? `${open}${close}` : `${open}${members.join(',')}${line(depth)}${close}`;
};

/** Matches numbers, and strings in order to skip them. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const integer = /^-?\d{16,}$/;
/** Prefix of a string that stands for an integer. No answer contains NUL, because requests with NUL are rejected. */
const mark = '\u0000';

const isInexact = (token: string) => integer.test(token) && !Number.isSafeInteger(Number(token));

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
