import type { openStores } from './following.js';

type Stores = Awaited<ReturnType<typeof openStores>>;

/**
 * Wraps stores so that, after a given number of writes, every write fails, as if the process had been killed at that
 * point.
 */
export const crashableStores = (stores: Stores) => {
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
    /** Reports whether a write has failed. */
    isDead: () => left < 0,
    revive: () => {
      left = Number.POSITIVE_INFINITY;
    },
  };
};
