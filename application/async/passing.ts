type PassingMap<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
};

/**
 * Keeps values that come and go by the thousand a second. A Map that lives long leaves a table behind whenever it grows
 * or shrinks, and everything in that table, deleted or not, stays in memory until the next full garbage collection; the
 * tables of this one refer to numbers, and the values are let go of at once.
 */
export const createPassingMap = <V>(): PassingMap<V> => {
  const places = new Map<string, number>();
  const values: (V | undefined)[] = [];
  const free: number[] = [];
  return {
    get: (key) => {
      const place = places.get(key);
      return place === undefined ? undefined : values[place];
    },
    set: (key, value) => {
      const place = places.get(key) ?? free.pop() ?? values.length;
      values[place] = value;
      places.set(key, place);
    },
    delete: (key) => {
      const place = places.get(key);
      if (place === undefined) return;
      places.delete(key);
      values[place] = undefined;
      free.push(place);
    },
  };
};

export type PassingSet<T extends object> = Iterable<T> & {
  readonly size: number;
  add(one: T): void;
  delete(one: T): void;
};

/**
 * Keeps objects that come and go by the thousand a second, in no order. A Set that lives long would keep deleted ones in
 * memory until the next full garbage collection, as a Map does.
 */
export const createPassingSet = <T extends object>(): PassingSet<T> => {
  const list: T[] = [];
  const places = new WeakMap<T, number>();
  return {
    get size() {
      return list.length;
    },
    add: (one) => {
      if (places.has(one)) return;
      places.set(one, list.length);
      list.push(one);
    },
    delete: (one) => {
      const place = places.get(one);
      if (place === undefined) return;
      places.delete(one);
      const last = list.pop() as T;
      if (last === one) return;
      list[place] = last;
      places.set(last, place);
    },
    [Symbol.iterator]: () => list[Symbol.iterator](),
  };
};
