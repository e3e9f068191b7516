/** Minimum number of events of a stream about which something is remembered. */
const minEvents = 250;

type Known<V> = { readonly count: number; readonly last: object; readonly value: V };

/** Value that was remembered about the first `count` events of a stream. */
export type Prefix<V> = { readonly count: number; readonly value: V };

/**
 * Remembers a value about the events of long streams. Stores return the events of a long stream as the same objects
 * again, so that only the events after the remembered ones have to be looked at. A value is dropped when the store drops
 * the events.
 */
export const createPrefixMemory = <V>() => {
  /** Values of streams, keyed by the first event of the stream. */
  const known = new WeakMap<object, Known<V>>();
  return {
    /** Returns what is known of the first events; null if nothing is, or if they are not the same objects any more. */
    find: (events: readonly object[]): Prefix<V> | null => {
      const [first] = events;
      const found = first && events.length >= minEvents ? known.get(first) : undefined;
      return found && events[found.count - 1] === found.last ? found : null;
    },
    remember: (events: readonly object[], value: V): void => {
      const [first, last] = [events[0], events.at(-1)];
      if (first && last && events.length >= minEvents) known.set(first, { count: events.length, last, value });
    },
  };
};
