/** Cuts a list into parts of `size`, the last one perhaps shorter, each when its turn comes. */
export const slicesOf = function* <T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
};

/**
 * Works on `atOnce` items at a time and gives the results in the order of the items. The next slice begins when the last one
 * is done; the first failure rejects, and no further slice begins.
 */
export const mapInSlices = async <T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> => {
  const done: R[] = [];
  for (const slice of slicesOf(items, atOnce)) done.push(...(await Promise.all(slice.map(work))));
  return done;
};
