import { createHash } from 'node:crypto';

/** Names an answer by a digest, since a question may be kilobytes long; the identity of a chain has no line break. */
export const answerId = (chain: string, question: string): Buffer =>
  createHash('sha256').update(`${chain}\n${question}`).digest();
