export type BoundedCache<K, V> = {
  get(key: K): V | undefined;
  /** Returns whether the key is cached. Does not count as a read of the entry. */
  has(key: K): boolean;
  /** Stores the entry as the newest entry and evicts the oldest unread entry when the cache is full. */
  set(key: K, value: V): void;
  delete(key: K): void;
  clear(): void;
};

/**
 * Cache with second-chance eviction, an approximation of LRU. Evicts the oldest entry that was not read; entries that
 * are older but were read become the newest entries and count as unread. A read only marks its entry, because moving an
 * entry at each hit would leave garbage in the map.
 */
export const createBoundedCache = <K, V>(maxEntries: number): BoundedCache<K, V> => {
  const entries = new Map<K, { readonly value: V; isRead: boolean }>();
  const evictOne = () => {
    // An entry that was read is kept: it moves to the end of the map, where this loop reaches the entry again, now as
    // unread.
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
