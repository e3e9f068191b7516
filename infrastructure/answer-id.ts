import { createHash } from 'node:crypto';

/** Returns the key under which the answer to `question` is stored: a hash, because a question may be kilobytes long. */
export const answerId = (chain: string, question: string): Buffer =>
  createHash('sha256').update(`${chain}\n${question}`).digest();
