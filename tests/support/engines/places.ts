/**
 * Storage of one store for a test, empty at first. Each call of `open` opens the same store once more, as another
 * process would.
 */
export type Place<Store> = { open(): Promise<Store>; end?(): Promise<void> };

/** Storage of a store of any kind for a test. `open` may take arguments that differ between the processes of a test. */
type AnyPlace = { open(...terms: never[]): Promise<{ close(): Promise<void> }>; end?(): Promise<void> };

/** Makes a place for each test of the suite, and closes every store that the test opened. */
export const usePlace = <P extends AnyPlace>(make: () => Promise<P>) => {
  type Store = Awaited<ReturnType<P['open']>>;
  let place: P;
  const opened = new Set<Store>();
  beforeEach(async () => {
    place = await make();
  });
  afterEach(async () => {
    await Promise.all([...opened].map((one) => one.close()));
    opened.clear();
    await place.end?.();
  });
  return {
    place: () => place,
    open: async (...terms: Parameters<P['open']>) => {
      const one = (await place.open(...terms)) as Store;
      opened.add(one);
      return one;
    },
    close: async (one: Store) => {
      opened.delete(one);
      await one.close();
    },
  };
};
