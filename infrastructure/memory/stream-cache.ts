import { type NewEvent, noStream, type Revision } from '../../application/ports/event-store.js';

type Stream = { readonly events: readonly NewEvent[]; readonly revision: Revision };

/** Minimum number of events of a cached stream. Shorter streams are read again, which is cheap. */
const minCachedEvents = 250;
/** Maximum number of events of all cached streams together. The default quotas allow an address 10,000 imports. */
const maxCachedEvents = 20_000;

export type StreamCache<S extends Stream> = {
  get(name: string): S | undefined;
  set(name: string, stream: S): void;
};

/**
 * Caches the events of long streams, so that one more event on such a stream, such as one more import at an address
 * with thousands, costs no reading of all the events before it. Evicts the stream that was stored first.
 */
export const createStreamCache = <S extends Stream>(): StreamCache<S> => {
  const streams = new Map<string, S>();
  let count = 0;
  const remove = (name: string) => {
    count -= streams.get(name)?.events.length ?? 0;
    streams.delete(name);
  };
  return {
    get: (name) => streams.get(name),
    set: (name, stream) => {
      const { length } = stream.events;
      if (length < minCachedEvents || length > maxCachedEvents) return;
      // A concurrent read that began earlier may end later, with fewer events.
      if ((streams.get(name)?.revision ?? noStream) > stream.revision) return;
      remove(name);
      for (const oldest of streams.keys()) {
        if (count + length <= maxCachedEvents) break;
        remove(oldest);
      }
      streams.set(name, stream);
      count += length;
    },
  };
};
