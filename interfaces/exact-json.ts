/** JSON in which integers keep all their digits: as bigints where numbers would not be exact. */

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Array.isArray(value)
    ? value.map((item: unknown) => ['', item] as const)
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [JSON.stringify(name), member] as const);

/** As JSON.stringify writes it, on several lines where `indent` says by how much. */
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

/** Texts are passed over; what has a fraction or an exponent is no integer. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const integer = /^-?\d{16,}$/;
/** Stands before the digits of an integer that was made a text; the service refuses it in every text it takes. */
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
