/** JSON in which integers keep all their digits: those that a number cannot hold exactly are bigints. */

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Array.isArray(value)
    ? value.map((item: unknown) => ['', item] as const)
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [JSON.stringify(name), member] as const);

/** Writes the same text as JSON.stringify, but takes bigints; `indent` spreads it over several lines. */
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

/** Matches strings, to skip them, and numbers; those with a fraction or an exponent are no integers. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const integer = /^-?\d{16,}$/;
/** Marks a string that stands for an integer; no answer has this character, since requests with it are refused. */
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
