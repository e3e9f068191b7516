import type { NonceEvent } from '../domain/aggregates/nonce.js';
import { ownScope, type Projection } from './define.js';

/** Nonce that a transaction of the sender holds (`held`) or released (`free`). */
export type NonceDocument = {
  readonly sender: string;
  readonly nonce: number;
  readonly state: 'held' | 'free';
};

export const senderKey = ({ chain, from }: { readonly chain: string; readonly from: string }) => `${chain}|${from}`;
export const nonceKey = (sender: string, nonce: number) => `${sender}|${nonce}`;

/**
 * One document per nonce, so that no document grows with a sender's history. The event stream of a nonce, not this
 * document, decides which transaction holds the nonce.
 */
export const nonces: Projection<NonceEvent, NonceDocument> = {
  name: 'nonces',
  version: 2,
  indexes: { byState: { equal: ['sender', 'state'], order: 'nonce' } },
  scope: ownScope,
  key: ({ data }) => nonceKey(senderKey(data), data.nonce),
  on: {
    NonceHeld: (_, data) => ({ sender: senderKey(data), nonce: data.nonce, state: 'held' }),
    NonceReleased: (doc, { free }) => (doc && free ? { ...doc, state: 'free' } : doc),
  },
};
