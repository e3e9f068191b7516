/** Question as one text for all questions that mean the same, and the JSON of its result. */
export type FinalAnswer = { readonly question: string; readonly result: Uint8Array };

/**
 * Cache of answers of nodes that can no longer change, shared by the processes of the service. Answers are kept by the
 * identity of their chain, so that nodes of another chain behind the same address never get them. Every promise may
 * reject: whoever asks does without the cache then.
 */
export interface FinalAnswers {
  /** Returns the results that are kept for the questions, in their order; null where there is none. */
  find(chain: string, questions: readonly string[]): Promise<readonly (Uint8Array | null)[]>;
  /**
   * Keeps answers, and drops those that were used longest ago when all together take more bytes than allowed. An answer
   * of more than a sixteenth of them is not kept.
   */
  keep(chain: string, answers: readonly FinalAnswer[]): Promise<void>;
  close(): Promise<void>;
}

/** Bytes that an answer is counted with besides its result. */
export const answerOverhead = 200;

/** Tells whether an answer is small enough to be kept among others within `maxBytes`. */
export const isKept = (maxBytes: number, { result }: FinalAnswer): boolean =>
  result.length + answerOverhead <= maxBytes / 16;
