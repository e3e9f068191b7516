/** Yields `items` in slices of `size` items. The last slice may have fewer. */
export const slicesOf = function* <T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
};

/**
 * Calls `work` for each item, in slices of `atOnce` concurrent calls, and returns the results in order. Rejects with
 * the first failure, and then starts no further slice.
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

export type FailedItem<T> = { readonly item: T; readonly error: unknown };

/**
 * Calls `work` in slices like `mapInSlices`, but continues after failures and returns the failed items with their
 * errors. No slice starts after the signal has fired.
 */
export const tryInSlices = async <T>(
  items: readonly T[],
  atOnce: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<FailedItem<T>[]> => {
  const failed: FailedItem<T>[] = [];
  const attempt = (item: T) => work(item).catch((error: unknown) => void failed.push({ item, error }));
  for (const slice of slicesOf(items, atOnce)) {
    if (signal.aborted) break;
    await Promise.all(slice.map(attempt));
  }
  return failed;
};

/** Calls `work` for every item and yields to the event loop after every `atOnce` items. */
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
