import { createHash } from 'node:crypto';

/** Returns the storage key of an answer: a digest, because a request may be kilobytes long. */
export const answerId = (chain: string, question: string): Buffer =>
  createHash('sha256').update(`${chain}\n${question}`).digest();
