const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Array.isArray(value)
    ? value.map((item: unknown) => ['', item] as const)
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => [JSON.stringify(name), member] as const);

/**
 * Serializes like `JSON.stringify`, but supports bigints. `indent` is the number of spaces per level; 0 for one line.
 */
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
