export type BoundedCache<K, V> = {
  get(key: K): V | undefined;
  has(key: K): boolean;
  /** Makes the entry the newest one and evicts the oldest when there are too many. */
  set(key: K, value: V): void;
  delete(key: K): void;
  clear(): void;
};

/** Keeps the `most` entries that were set last. Reading an entry does not make it newer, so a hit costs one lookup. */
export const createBoundedCache = <K, V>(most: number): BoundedCache<K, V> => {
  const kept = new Map<K, V>();
  return {
    get: (key) => kept.get(key),
    has: (key) => kept.has(key),
    set: (key, value) => {
      kept.delete(key);
      const oldest = kept.keys().next();
      if (kept.size >= most && !oldest.done) kept.delete(oldest.value);
      kept.set(key, value);
    },
    delete: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
};
