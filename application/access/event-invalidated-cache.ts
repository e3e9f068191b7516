import { createBoundedCache } from '../async/bounded-cache.js';
import type { MaybePromise } from '../async/maybe-promise.js';
import type { EventStore, Recorded } from '../ports/event-store.js';

/** Something this node remembers of the event store, so that not every request reads it. */
export type Memory = {
  /** Forgets what an event makes untrue. */
  notice(event: Recorded): void;
  forgetAll(): void;
};

const remembered = 10_000;

/** Remembers what `load` gives, as long as nothing that happened meanwhile made it untrue. */
export const createEventInvalidatedCache = <T>(load: (key: string) => Promise<T | null>) => {
  const known = createBoundedCache<string, T>(remembered);
  let changes = 0;
  const lookUp = async (key: string) => {
    const before = changes;
    const found = await load(key);
    if (found === null || changes !== before) return found;
    known.set(key, found);
    return found;
  };
  return {
    find: (key: string): MaybePromise<T | null> => known.get(key) ?? lookUp(key),
    forget: (key: string) => {
      changes++;
      known.delete(key);
    },
    forgetAll: () => {
      changes++;
      known.clear();
    },
  };
};

/** Keeps memories true as things change, here or in another process, until the signal. */
export const keepTrue =
  (events: EventStore, memories: readonly Memory[]) =>
  async (signal: AbortSignal): Promise<void> => {
    const from = await events.head();
    for (const memory of memories) memory.forgetAll();
    for await (const batch of events.subscribe(from, signal))
      for (const event of batch) for (const memory of memories) memory.notice(event);
  };
