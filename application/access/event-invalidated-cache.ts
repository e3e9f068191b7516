import { createBoundedCache } from '../async/bounded-cache.js';
import type { MaybePromise } from '../async/maybe-promise.js';
import type { EventStore, Recorded } from '../ports/event-store.js';

/** Cache of facts from the event store in this process, so that not every request reads them. */
export type EventInvalidatedCache = {
  /** Drops the entries that an event makes stale. */
  notice(event: Recorded): void;
  forgetAll(): void;
};

const remembered = 10_000;

/**
 * Caches results of `load`, except one that may have become stale while it was loaded. Callers that ask for the same at
 * the same time share one load.
 */
export const createEventInvalidatedCache = <T>(load: (key: string) => Promise<T | null>) => {
  const known = createBoundedCache<string, T>(remembered);
  let loading = new Map<string, Promise<T | null>>();
  let changes = 0;
  const lookUp = async (key: string) => {
    const before = changes;
    const found = await load(key);
    if (found === null || changes !== before) return found;
    known.set(key, found);
    return found;
  };
  const share = (key: string) => {
    const shared = loading;
    const begun = shared.get(key) ?? lookUp(key).finally(() => shared.delete(key));
    shared.set(key, begun);
    return begun;
  };
  /** Lets later callers load anew, because what is loaded now may be stale. */
  const change = () => {
    changes++;
    loading = new Map();
  };
  return {
    find: (key: string): MaybePromise<T | null> => known.get(key) ?? share(key),
    forget: (key: string) => {
      change();
      known.delete(key);
    },
    forgetAll: () => {
      change();
      known.clear();
    },
  };
};

/** Drops stale entries of the caches as events arrive, from this or another process, until the signal fires. */
export const invalidateFromEvents =
  (events: EventStore, memories: readonly EventInvalidatedCache[]) =>
  async (signal: AbortSignal): Promise<void> => {
    const from = await events.head();
    for (const memory of memories) memory.forgetAll();
    for await (const batch of events.subscribe(from, signal))
      for (const event of batch) for (const memory of memories) memory.notice(event);
  };
