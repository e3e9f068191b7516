import { NodeFault } from '../../nodes/node-fault.js';

const maxRows = 1000;
/**
 * Number of accepted pages after which a larger page is tried. The number doubles each time that the larger page is
 * rejected, up to `max`.
 */
const growAfterPages = { first: 64, max: 4096 };

/**
 * Creates the page size for an index. The size is halved after a rejection and doubled again after at least 64 accepted
 * pages.
 */
export const createPageSize = () => {
  let size = maxRows;
  let acceptedPages = 0;
  let growAfter = growAfterPages.first;
  let hasGrown = false;
  return {
    current: () => size,
    accepted: () => {
      if (size === maxRows || ++acceptedPages < growAfter) return;
      size = Math.min(maxRows, size * 2);
      acceptedPages = 0;
      hasGrown = true;
    },
    /** Halves a rejected page size. Returns false if the size is already 1. */
    refused: (limit: number) => {
      if (limit <= 1) return false;
      // Pages of several blocks are requested concurrently. If several pages of the same size are rejected, the size is
      // halved only once.
      if (limit <= size) {
        size = Math.max(1, Math.floor(limit / 2));
        if (hasGrown) growAfter = Math.min(growAfterPages.max, growAfter * 2);
        hasGrown = false;
        acceptedPages = 0;
      }
      return true;
    },
  };
};
export type PageSize = ReturnType<typeof createPageSize>;

/**
 * Requests a page, and again with a smaller page while the index rejects the limit or the answer is too large.
 */
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
