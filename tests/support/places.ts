/** A new, empty place to store things; each `open` is one more process's view of the same place. */
export type Place<Store> = { open(): Promise<Store>; end?(): Promise<void> };

/** A place for each test of the suite; whatever the test opened is closed after it. */
export const usePlace = <P extends Place<{ close(): Promise<void> }>>(make: () => Promise<P>) => {
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
    open: async () => {
      const one = (await place.open()) as Store;
      opened.add(one);
      return one;
    },
    close: async (one: Store) => {
      opened.delete(one);
      await one.close();
    },
  };
};
