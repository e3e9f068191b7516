/** Empty place for a store; each `open` is the view of one more process. */
export type Place<Store> = { open(): Promise<Store>; end?(): Promise<void> };

/** Makes a place for each test of the suite, and closes every store that the test opened. */
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
