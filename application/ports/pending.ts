/** Transaction in a node's pool that is not in a block yet. */
export type PendingTransaction = {
  readonly hash: string;
  readonly from: string;
  readonly nonce: bigint;
  /** Time of the first observation, Unix ms. */
  readonly firstSeen: number;
  /** Fields of the transaction as the node returned them. */
  readonly fields: Readonly<Record<string, string>>;
};

/**
 * Nonce used by a mined transaction. No pending transaction of the sender with this or a lower nonce can be mined.
 */
export type UsedNonce = Pick<PendingTransaction, 'from' | 'nonce'>;

/** Transactions that are pending now. The store may lose transactions, because the watcher observes them again. */
export interface PendingTransactions {
  /** Adds transactions; a known transaction keeps its `firstSeen`. */
  add(transactions: readonly PendingTransaction[]): Promise<void>;
  find(hash: string): Promise<PendingTransaction | null>;
  /** Lists a sender's transactions by nonce and then by `firstSeen`; with any nonce when `nonce` is absent. */
  listFrom(sender: string, nonce?: bigint): Promise<readonly PendingTransaction[]>;
  /** Returns the next transactions in the order of `firstSeen`; empty at the end. */
  scan(after: PendingTransaction | null): Promise<readonly PendingTransaction[]>;
  forget(hashes: readonly string[]): Promise<void>;
  forgetUsed(used: readonly UsedNonce[]): Promise<void>;
  /** Removes transactions first seen before `since` (Unix ms), and the oldest transactions in excess of `maxCount`. */
  trim(since: number, maxCount: number): Promise<void>;
  close(): Promise<void>;
}
