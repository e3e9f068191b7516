import type { NonceEvent } from '../domain/nonce.js';
import { ownScope, type Projection } from './define.js';

export type NoncesDocument = {
  /** One past the highest that was ever held. */
  readonly next: number;
  /** Those that were held and are free again. */
  readonly free: readonly number[];
};

/** Which nonces of a sender to try first; who gets one is decided in the nonce's own stream. */
export const nonces: Projection<NonceEvent, NoncesDocument> = {
  name: 'nonces',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => `${data.chain}|${data.from}`,
  on: {
    NonceHeld: (doc, { nonce }) => ({
      next: Math.max(doc?.next ?? 0, nonce + 1),
      free: (doc?.free ?? []).filter((one) => one !== nonce),
    }),
    NonceReleased: (doc, { nonce, free }) =>
      doc && free ? { next: doc.next, free: [...new Set([...doc.free, nonce])].toSorted((a, b) => a - b) } : doc,
  },
};
