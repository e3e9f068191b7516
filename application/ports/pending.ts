/** A transaction that waits to be included in a block. */
export type PendingTransaction = {
  readonly hash: string;
  readonly from: string;
  readonly nonce: bigint;
  /** Unix ms. */
  readonly firstSeen: number;
  /** What the node said of it, field by field. */
  readonly told: Readonly<Record<string, string>>;
};

/** A sender's nonce that a block has used: nothing of that sender with it, or a lower one, can be included any more. */
export type UsedNonce = Pick<PendingTransaction, 'from' | 'nonce'>;

/** What is seen to be pending right now. Observed, not history: it may be lost, and is seen again. */
export interface PendingTransactions {
  /** One that is kept already stays as it was first seen. */
  add(transactions: readonly PendingTransaction[]): Promise<void>;
  find(hash: string): Promise<PendingTransaction | null>;
  /** In order of their nonces, those with one nonce as they were seen; all of the sender where no nonce is given. */
  listFrom(sender: string, nonce?: bigint): Promise<readonly PendingTransaction[]>;
  /** Some of those first seen after the given one, in order; none when there are no more. */
  scan(after: PendingTransaction | null): Promise<readonly PendingTransaction[]>;
  forget(hashes: readonly string[]): Promise<void>;
  forgetUsed(used: readonly UsedNonce[]): Promise<void>;
  /** Keeps no more than the newest `most` of those that were first seen at that time (Unix ms) or later. */
  trim(since: number, most: number): Promise<void>;
  close(): Promise<void>;
}
