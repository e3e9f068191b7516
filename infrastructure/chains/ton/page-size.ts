import { NodeFault } from '../../nodes/node-fault.js';

const largest = 1000;
/** Pages without a complaint after which a larger one is tried: more after each try that failed. */
const patience = { first: 64, longest: 4096 };

/** Keeps the number of rows on a page that an index is asked for: half as many after a complaint, more again later. */
export const createPageSize = () => {
  let size = largest;
  let good = 0;
  let wait = patience.first;
  let isTried = false;
  return {
    current: () => size,
    accepted: () => {
      if (size === largest || ++good < wait) return;
      size = Math.min(largest, size * 2);
      good = 0;
      isTried = true;
    },
    /** Halves the size that was refused; false if there is no smaller one. */
    refused: (limit: number) => {
      if (limit <= 1) return false;
      // Pages of several blocks are asked for at the same time, and their complaints have one cause.
      if (limit <= size) {
        size = Math.max(1, Math.floor(limit / 2));
        if (isTried) wait = Math.min(patience.longest, wait * 2);
        isTried = false;
        good = 0;
      }
      return true;
    },
  };
};
export type PageSize = ReturnType<typeof createPageSize>;

/** Asks for a page, and for a smaller one where the index refuses the limit or the answer is too large. */
export const askPage = async <T>(pages: PageSize, ask: (limit: number) => Promise<T>) => {
  for (;;) {
    const limit = pages.current();
    try {
      const answer = await ask(limit);
      pages.accepted();
      return { answer, limit };
    } catch (error) {
      if (!(error instanceof NodeFault) || error.kind !== 'oversized' || !pages.refused(limit)) throw error;
    }
  }
};
