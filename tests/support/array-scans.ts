/** Methods that may visit every element of a collection. */
const methods: readonly (readonly [prototype: object, names: readonly PropertyKey[]])[] = [
  [
    Array.prototype,
    ['includes', 'indexOf', 'find', 'findIndex', 'filter', 'map', 'some', 'concat', 'slice', Symbol.iterator],
  ],
  [Map.prototype, ['keys', 'values', 'entries', 'forEach', Symbol.iterator]],
  [Set.prototype, ['values', 'forEach', Symbol.iterator]],
];

/**
 * Counts the elements of arrays, maps and sets that methods, loops and spreads may visit while the work runs, so that a
 * test detects work that grows with the square of its input.
 */
export const countScans = async (work: () => unknown): Promise<number> => {
  let scanned = 0;
  const count = (collection: { length?: number; size?: number }) => {
    scanned += collection.length ?? collection.size ?? 0;
  };
  const restores = methods.flatMap(([prototype, names]) =>
    names.map((name) => {
      const original = Reflect.get(prototype, name);
      Reflect.set(prototype, name, function (this: object, ...given: unknown[]) {
        count(this);
        return original.apply(this, given);
      });
      return () => Reflect.set(prototype, name, original);
    }),
  );
  try {
    await work();
  } finally {
    for (const restore of restores) restore();
  }
  return scanned;
};
