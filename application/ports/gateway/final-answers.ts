/**
 * Entry of the cache: `question` is the key, equal for all equivalent requests, and `result` the JSON of the result.
 */
export type FinalAnswer = { readonly question: string; readonly result: Uint8Array };

/**
 * Cache of node answers that can no longer change, shared by the processes of the service. The key includes the
 * identity of the chain, so that another chain behind the same address never gets these answers. Every promise may
 * reject; the caller then continues without the cache.
 */
export interface FinalAnswers {
  /** Returns the cached results in the order of the questions; null for a miss. */
  find(chain: string, questions: readonly string[]): Promise<readonly (Uint8Array | null)[]>;
  /**
   * Stores answers and evicts the least recently used answers above the size limit. An answer larger than a sixteenth
   * of the limit is not stored.
   */
  keep(chain: string, answers: readonly FinalAnswer[]): Promise<void>;
  close(): Promise<void>;
}

/** Bytes that each answer counts toward the size limit in addition to its result. */
export const answerOverhead = 200;

/** Returns whether an answer is small enough for a cache of `maxBytes`. */
export const isCacheable = (maxBytes: number, { result }: FinalAnswer): boolean =>
  result.length + answerOverhead <= maxBytes / 16;
