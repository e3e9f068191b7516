type HighChurnMap<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
};

/**
 * Map for entries that are added and deleted thousands of times per second. A long-lived `Map` leaves its old hash
 * table behind whenever it is resized. That table keeps all its values, deleted ones too, in memory until the next full
 * garbage collection. The hash table here holds only slot numbers, so deleted values are released at once.
 */
export const createHighChurnMap = <V>(): HighChurnMap<V> => {
  const slots = new Map<string, number>();
  const values: (V | undefined)[] = [];
  const free: number[] = [];
  return {
    get: (key) => {
      const slot = slots.get(key);
      return slot === undefined ? undefined : values[slot];
    },
    set: (key, value) => {
      const slot = slots.get(key) ?? free.pop() ?? values.length;
      values[slot] = value;
      slots.set(key, slot);
    },
    delete: (key) => {
      const slot = slots.get(key);
      if (slot === undefined) return;
      slots.delete(key);
      values[slot] = undefined;
      free.push(slot);
    },
  };
};

export type HighChurnSet<T extends object> = Iterable<T> & {
  readonly size: number;
  add(one: T): void;
  delete(one: T): void;
};

/**
 * Unordered set for objects that are added and deleted thousands of times per second. Deleted objects are released at
 * once. A long-lived `Set` would keep them until the next full garbage collection, as described for
 * `createHighChurnMap`.
 */
export const createHighChurnSet = <T extends object>(): HighChurnSet<T> => {
  const list: T[] = [];
  const slots = new WeakMap<T, number>();
  return {
    get size() {
      return list.length;
    },
    add: (one) => {
      if (slots.has(one)) return;
      slots.set(one, list.length);
      list.push(one);
    },
    delete: (one) => {
      const slot = slots.get(one);
      if (slot === undefined) return;
      slots.delete(one);
      const last = list.pop() as T;
      if (last === one) return;
      list[slot] = last;
      slots.set(last, slot);
    },
    [Symbol.iterator]: () => list[Symbol.iterator](),
  };
};
