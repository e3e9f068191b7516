import { UnreadableEvent } from '../../domain/upcasters.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import type { MaybePromise } from '../async/maybe-promise.js';
import type { EventStore, Recorded } from '../ports/event-store.js';

/** Cache, in this process, of state that was read from the event store. Events invalidate its entries. */
export type EventInvalidatedCache = {
  /** Drops the entries that an event makes stale. */
  onEvent(event: Recorded): void;
  clear(): void;
};

const maxEntries = 10_000;

/**
 * Creates a cache of the results of `load`. A result that may have become stale while it was loading is not cached.
 * Concurrent callers with the same key share one load.
 */
export const createEventInvalidatedCache = <T>(load: (key: string) => Promise<T | null>) => {
  const known = createBoundedCache<string, T>(maxEntries);
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
  /** Makes later callers start a new load, because the results of loads in progress may be stale. */
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
    clear: () => {
      change();
      known.clear();
    },
  };
};

/** Drops the entries that an event makes stale, or all entries if this release cannot read the event. */
const invalidate = (cache: EventInvalidatedCache, event: Recorded) => {
  try {
    cache.onEvent(event);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    cache.clear();
  }
};

/** Invalidates cache entries as events arrive, from this or another process, until the signal aborts. */
export const invalidateFromEvents =
  (events: EventStore, caches: readonly EventInvalidatedCache[]) =>
  async (signal: AbortSignal): Promise<void> => {
    const from = await events.head();
    for (const cache of caches) cache.clear();
    for await (const batch of events.subscribe(from, signal))
      for (const event of batch) for (const cache of caches) invalidate(cache, event);
  };
