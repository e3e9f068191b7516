const mebibyte = 1_048_576;

/** Default and bounds of CHAINFOLD_MEMORY_MB, in MiB. */
export const memoryMebibytes = { byDefault: 512, min: 64, max: 999_999 };

/**
 * Maximum bytes of database pages that one SQLite connection keeps in its own cache, and that it maps from the file.
 */
export type PageCache = { readonly cachedBytes: number; readonly mappedBytes: number };

/** Page caches of a store that reads on the main thread and writes on a thread of its own. */
export type StorePages = { readonly reading: PageCache; readonly writing: PageCache };

/** Limits of the caches of one process. */
export type MemoryBudget = {
  readonly eventPages: StorePages;
  readonly documentPages: StorePages;
  /** Bytes of final answers, for all gateways together. */
  readonly gatewayAnswers: number;
  /** Maximum number of events of all organization histories that are cached in folded form for as-of queries. */
  readonly foldedEvents: number;
};

/** Bytes that the small stores take together: state, jobs, limiter, pending transactions, refused requests. */
const smallStores = 32 * mebibyte;

/** Bytes per event of a folded history in the cache, rounded up from measurements. */
const bytesPerFoldedEvent = 512;

/**
 * Relative shares of the budget that is left after the small stores. Read models get the most, because every Get and
 * List reads them. Writers map no file, because the reader already maps the same pages, which would then count twice in
 * the resident memory.
 */
const parts = {
  documentsMapped: 96,
  documentsRead: 32,
  documentsWritten: 48,
  eventsMapped: 64,
  eventsRead: 16,
  eventsWritten: 32,
  gatewayAnswers: 64,
  foldedHistories: 128,
};
const allParts = Object.values(parts).reduce((sum, part) => sum + part, 0);

/** Page cache of a connection to a small store, or to a file that is only checked or copied. */
export const smallPageCache: PageCache = { cachedBytes: 2 * mebibyte, mappedBytes: 0 };

/** Divides a number of bytes between the caches of a process. */
export const memoryBudgetOf = (bytes: number): MemoryBudget => {
  const bytesOf = (part: keyof typeof parts) => Math.floor(((bytes - smallStores) * parts[part]) / allParts);
  return {
    eventPages: {
      reading: { cachedBytes: bytesOf('eventsRead'), mappedBytes: bytesOf('eventsMapped') },
      writing: { cachedBytes: bytesOf('eventsWritten'), mappedBytes: 0 },
    },
    documentPages: {
      reading: { cachedBytes: bytesOf('documentsRead'), mappedBytes: bytesOf('documentsMapped') },
      writing: { cachedBytes: bytesOf('documentsWritten'), mappedBytes: 0 },
    },
    gatewayAnswers: bytesOf('gatewayAnswers'),
    foldedEvents: Math.floor(bytesOf('foldedHistories') / bytesPerFoldedEvent),
  };
};

export const defaultMemoryBudget = memoryBudgetOf(memoryMebibytes.byDefault * mebibyte);
