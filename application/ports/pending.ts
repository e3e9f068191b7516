/** A transaction that waits to be included in a block. */
export type PendingTransaction = {
  readonly hash: string;
  readonly from: string;
  readonly nonce: bigint;
  /** Unix ms. */
  readonly firstSeen: number;
  /** Fields of the transaction as the node gave them. */
  readonly told: Readonly<Record<string, string>>;
};

/**
 * Nonce that a block has used: no transaction of that sender with this nonce or a lower one can be included any more.
 */
export type UsedNonce = Pick<PendingTransaction, 'from' | 'nonce'>;

/** Transactions that are pending right now. Observations, not history: lost ones are observed again. */
export interface PendingTransactions {
  /** Adds transactions; one that is already known keeps its `firstSeen`. */
  add(transactions: readonly PendingTransaction[]): Promise<void>;
  find(hash: string): Promise<PendingTransaction | null>;
  /** Lists a sender's transactions by nonce and then by `firstSeen`; all nonces when none is given. */
  listFrom(sender: string, nonce?: bigint): Promise<readonly PendingTransaction[]>;
  /** Returns some of the transactions first seen after the given one, in that order; empty at the end. */
  scan(after: PendingTransaction | null): Promise<readonly PendingTransaction[]>;
  forget(hashes: readonly string[]): Promise<void>;
  forgetUsed(used: readonly UsedNonce[]): Promise<void>;
  /** Keeps at most the newest `most` transactions, and none first seen before `since` (Unix ms). */
  trim(since: number, most: number): Promise<void>;
  close(): Promise<void>;
}
