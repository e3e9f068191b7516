const none = -1;

const growth = 1.5;

export const growArray = <T extends Uint32Array | Int32Array>(array: T, filler = 0): T => {
  const grown = new (array.constructor as new (length: number) => T)(Math.ceil(array.length * growth));
  grown.fill(filler);
  grown.set(array);
  return grown;
};

/**
 * Linked lists of integers that share two typed arrays. A list is represented by the index of its first link, or by
 * `none` if empty.
 */
export const createIntLists = () => {
  let values = new Int32Array(32);
  let nexts = new Int32Array(32).fill(none);
  let links = 0;
  let free = none;

  const newLink = () => {
    if (free !== none) {
      const link = free;
      free = nexts[link] as number;
      return link;
    }
    if (links === values.length) {
      values = growArray(values);
      nexts = growArray(nexts, none);
    }
    return links++;
  };
  const all = (first: number) => {
    const found: number[] = [];
    for (let link = first; link !== none; link = nexts[link] as number) found.push(values[link] as number);
    return found;
  };

  return {
    none,
    all,
    /** Adds a number unless the list contains it. Returns the new first link. */
    add: (first: number, value: number) => {
      if (all(first).includes(value)) return first;
      const link = newLink();
      values[link] = value;
      nexts[link] = first;
      return link;
    },
    /** Removes a number. Returns the new first link. */
    remove: (first: number, value: number) => {
      let before = none;
      for (let link = first; link !== none; link = nexts[link] as number) {
        if (values[link] !== value) {
          before = link;
          continue;
        }
        const next = nexts[link] as number;
        nexts[link] = free;
        free = link;
        if (before === none) return next;
        nexts[before] = next;
        return first;
      }
      return first;
    },
  };
};
