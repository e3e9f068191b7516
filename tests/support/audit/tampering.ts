import fc from 'fast-check';

/** Change that an attacker makes to a list of lines or events; numbers are taken modulo the length of the list. */
export type Tampering = {
  readonly kind: 'alter' | 'remove' | 'insert' | 'repeat' | 'move' | 'swap' | 'cut';
  readonly at: number;
  readonly to: number;
  readonly leaf: number;
  readonly value: unknown;
};

const somewhere = fc.nat(1_000_000);
const parts = { at: somewhere, to: somewhere, leaf: somewhere, value: fc.jsonValue() };
export const alteration = fc.record({ kind: fc.constant('alter' as const), ...parts });
export const tampering: fc.Arbitrary<Tampering> = fc.oneof(
  { arbitrary: alteration, weight: 4 },
  fc.record({ kind: fc.constantFrom('remove', 'insert', 'repeat', 'move', 'swap', 'cut'), ...parts } as const),
);

type Path = readonly string[];
const leavesOf = (value: unknown, path: Path = []): readonly Path[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]))
    : [path];

const put = (value: unknown, [key, ...rest]: Path, leaf: unknown): unknown => {
  if (key === undefined) return leaf;
  if (Array.isArray(value)) return value.with(Number(key), put(value[Number(key)], rest, leaf));
  return { ...(value as object), [key]: put((value as Record<string, unknown>)[key], rest, leaf) };
};

/** Returns a copy of `item` in which leaf number `leaf` has the given value, which may equal the old one. */
export const change = (item: object, leaf: number, value: unknown): unknown => {
  const leaves = leavesOf(item);
  return put(item, leaves[leaf % leaves.length] ?? [], value);
};
