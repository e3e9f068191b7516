/** Yields a list in slices of `size`; the last one may be shorter. */
export const slicesOf = function* <T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
};

/**
 * Works on `atOnce` items at a time and returns the results in the order of the items. A slice begins when the one
 * before is done; the first failure rejects, and no further slice begins.
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

/** Works on all items, `atOnce` before others get a turn. */
export const eachInSlices = async <T>(
  items: readonly T[],
  atOnce: number,
  { breathe }: { breathe(): Promise<void> },
  work: (item: T) => void,
): Promise<void> => {
  for (const slice of slicesOf(items, atOnce)) {
    for (const item of slice) work(item);
    await breathe();
  }
};
