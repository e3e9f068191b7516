export type BoundedCache<K, V> = {
  get(key: K): V | undefined;
  /** Does not count as a read. */
  has(key: K): boolean;
  /** Stores the entry as the newest one and evicts the oldest unread entry when the cache is full. */
  set(key: K, value: V): void;
  delete(key: K): void;
  clear(): void;
};

/**
 * Approximates LRU eviction: the oldest entry is evicted, unless it was read, which spares it once and makes it the
 * newest. A read only marks its entry, because moving an entry at each hit would leave garbage in the map.
 */
export const createBoundedCache = <K, V>(maxEntries: number): BoundedCache<K, V> => {
  const entries = new Map<K, { readonly value: V; isRead: boolean }>();
  const evictOne = () => {
    // Spared entries move to the end, where this loop meets them again without their mark.
    for (const [key, entry] of entries) {
      entries.delete(key);
      if (!entry.isRead) return;
      entry.isRead = false;
      entries.set(key, entry);
    }
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry) entry.isRead = true;
      return entry?.value;
    },
    has: (key) => entries.has(key),
    set: (key, value) => {
      entries.delete(key);
      if (entries.size >= maxEntries) evictOne();
      entries.set(key, { value, isRead: false });
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
};
