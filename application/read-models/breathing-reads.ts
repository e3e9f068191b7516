import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/** Number of reads after which other work runs. */
const readsPerTurn = 4;

/**
 * Wraps read models for queries of many reads, so that other work runs between the reads. Embedded stores answer in the
 * turn of the event loop in which they are asked, so such a query would delay all callers until its end.
 */
export const breathingReads = (readModels: ReadModels, { breathe }: Pick<System, 'breathe'>): ReadModels => {
  let reads = 0;
  const breatheSometimes = async () => {
    reads++;
    if (reads % readsPerTurn === 0) await breathe();
  };
  return {
    ...readModels,
    get: async (collection, key) => {
      await breatheSometimes();
      return readModels.get(collection, key);
    },
    getMany: async (collection, keys) => {
      await breatheSometimes();
      return readModels.getMany(collection, keys);
    },
    page: async (collection, scope, query) => {
      await breatheSometimes();
      return readModels.page(collection, scope, query);
    },
  };
};
