/** Binary heap that returns the smallest priority first. */
export type PriorityQueue<T> = {
  push(priority: number, item: T): void;
  /** Removes and returns all items whose priority is at most `maxPriority`, in order of priority. */
  takeUpTo(maxPriority: number): T[];
  clear(): void;
};

type Entry<T> = { readonly priority: number; readonly item: T };

export const createPriorityQueue = <T>(): PriorityQueue<T> => {
  let heap: Entry<T>[] = [];
  const at = (index: number) => heap[index] as Entry<T>;
  const isBefore = (a: number, b: number) => at(a).priority < at(b).priority;
  const swap = (a: number, b: number) => {
    const moved = at(a);
    heap[a] = at(b);
    heap[b] = moved;
  };
  const rise = (from: number) => {
    let index = from;
    for (let above = (index - 1) >> 1; index > 0 && isBefore(index, above); above = (index - 1) >> 1) {
      swap(index, above);
      index = above;
    }
  };
  const sink = () => {
    let index = 0;
    for (let below = 1; below < heap.length; below = 2 * index + 1) {
      if (below + 1 < heap.length && isBefore(below + 1, below)) below++;
      if (!isBefore(below, index)) return;
      swap(index, below);
      index = below;
    }
  };
  const pop = (): T => {
    const { item } = at(0);
    const last = heap.pop() as Entry<T>;
    if (heap.length > 0) {
      heap[0] = last;
      sink();
    }
    return item;
  };

  return {
    push: (priority, item) => {
      heap.push({ priority, item });
      rise(heap.length - 1);
    },
    takeUpTo: (maxPriority) => {
      const taken: T[] = [];
      while (heap.length > 0 && at(0).priority <= maxPriority) taken.push(pop());
      return taken;
    },
    clear: () => {
      heap = [];
    },
  };
};
