import type { openStores } from './following.js';

type Stores = Awaited<ReturnType<typeof openStores>>;

/** Wraps stores so that every write fails after a given number of writes, as in a process that was killed there. */
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
