import type { NonceEvent } from '../domain/nonce.js';
import { ownScope, type Projection } from './define.js';

export type NoncesDocument = {
  /** One past the highest that is held. */
  readonly next: number;
  /** Below that, those that were held and are free again. */
  readonly free: readonly number[];
};

const withoutEnd = ({ next, free }: NoncesDocument): NoncesDocument =>
  free.includes(next - 1)
    ? withoutEnd({ next: next - 1, free: free.filter((one) => one !== next - 1) })
    : { next, free };

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
      doc && free ? withoutEnd({ next: doc.next, free: [...doc.free, nonce].toSorted((a, b) => a - b) }) : doc,
  },
};
