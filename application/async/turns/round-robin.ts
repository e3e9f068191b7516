import { groupBy } from '../group-by.js';

/** Interleaves items so that owners alternate. The items of one owner keep their order. */
export const roundRobin = <T>(items: readonly T[], ownerOf: (item: T) => string): T[] => {
  const ordered: T[] = [];
  let left = [...groupBy(items, ownerOf).values()];
  for (let turn = 0; left.length > 0; turn++) {
    for (const own of left) ordered.push(own[turn] as T);
    left = left.filter((own) => own.length > turn + 1);
  }
  return ordered;
};
