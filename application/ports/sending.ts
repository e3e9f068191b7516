import type { Header } from './chain.js';

export type Call = { readonly from: string; readonly to: string; readonly value: string; readonly data: string };

/** What became of an attempt to hand a transaction to the nodes; `unknown`: some may have it. */
export type Broadcast =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export type Inclusion = {
  readonly block: { readonly number: number; readonly hash: string };
  readonly failed: boolean;
};

/** What a chain offers those who send on it. What no node answers in time rejects with UNAVAILABLE or NODE_ERROR. */
export interface Sending {
  chainId(): Promise<number>;
  /** Refuses with INVALID_ARGUMENT, and the reason, what would fail. */
  estimateGas(call: Call): Promise<string>;
  gasPrice(): Promise<string>;
  /** How many transactions the sender has made, those not yet in a block included. */
  pendingCount(from: string): Promise<number>;
  /** To every node; the same transaction again does no harm. Never rejects. */
  broadcast(signed: { readonly raw: string; readonly hash: string }): Promise<Broadcast>;
  /** How many transactions each sender had made as of that very block, in the order asked. */
  countsAt(senders: readonly string[], at: Header): Promise<readonly number[]>;
  /** Where each transaction is on the chain that ends with that block, in the order asked; null where it is not. */
  inclusionsAt(hashes: readonly string[], at: Header): Promise<readonly (Inclusion | null)[]>;
  /** Whether a node has it, in a block or waiting for one. */
  knows(hashes: readonly string[]): Promise<readonly boolean[]>;
}
