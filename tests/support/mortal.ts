import type { openStores } from './following.js';

type Stores = Awaited<ReturnType<typeof openStores>>;

/** Writes go through until the crash. */
export const mortal = (stores: Stores) => {
  let left = Number.POSITIVE_INFINITY;
  const write = <T>(work: () => Promise<T>) => (left-- > 0 ? work() : Promise.reject(new Error('the process is dead')));
  return {
    stores: {
      ...stores,
      events: { ...stores.events, append: (writes) => write(() => stores.events.append(writes)) },
      state: { ...stores.state, put: (...given) => write(() => stores.state.put(...given)) },
    } satisfies Stores,
    dieAfter: (writes: number) => {
      left = writes;
    },
    revive: () => {
      left = Number.POSITIVE_INFINITY;
    },
  };
};
