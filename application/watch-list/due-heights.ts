import { createPriorityQueue } from '../async/priority-queue.js';

/**
 * Creates an index of items by the height at which they are due. Each item has one height, so memory does not grow
 * with repeated changes.
 */
export const createDueHeights = <T>() => {
  const heights = createPriorityQueue<number>();
  /** Items by height. An emptied entry stays until its height is taken, because the queue still has the height. */
  const items = new Map<number, Set<T>>();
  const heightOf = new Map<T, number>();

  const set = (height: number, item: T) => {
    const before = heightOf.get(item);
    if (before === height) return;
    if (before !== undefined) items.get(before)?.delete(item);
    heightOf.set(item, height);
    const same = items.get(height);
    if (same) return void same.add(item);
    items.set(height, new Set([item]));
    heights.push(height, height);
  };
  const take = (height: number): readonly T[] => {
    const taken = [...(items.get(height) ?? [])];
    items.delete(height);
    for (const item of taken) heightOf.delete(item);
    return taken;
  };

  return {
    /** Adds an item, or moves it to another height. */
    set,
    /** Adds an item, or moves it to the height if that is lower than the item's current height. */
    lower: (height: number, item: T) => set(Math.min(height, heightOf.get(item) ?? height), item),
    /** Removes and returns all items that are due at `maxHeight`, in order of height. */
    takeUpTo: (maxHeight: number): T[] => heights.takeUpTo(maxHeight).flatMap(take),
    clear: () => {
      for (const part of [heights, items, heightOf]) part.clear();
    },
  };
};
