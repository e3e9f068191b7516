import type { OfWallet } from '../wallet.js';

export type OfTransaction = {
  /** Id of the managed transaction. */
  readonly transactionId: string;
};

/** Nonce of a transaction, with the chain and the sender that it belongs to. */
export type SenderNonce = {
  /**
   * Hash of the first block of the chain that the transaction is for. A restarted development chain is another chain
   * with new nonces.
   */
  readonly chain: string;
  /** Address of the sender. */
  readonly from: string;
  /** Nonce of the transaction: the number of earlier transactions of the sender. */
  readonly nonce: number;
};

export type Fees = {
  /**
   * Price per unit of gas, as a decimal number of smallest units. In a transaction of type 2 (EIP-1559), the maximum
   * fee per unit of gas.
   */
  readonly gasPrice: string;
  /**
   * Maximum priority fee per unit of gas, as a decimal number of smallest units. Present in transactions of type 2
   * only.
   */
  readonly maxPriorityFeePerGas?: string;
};

/**
 * Contract and storage keys that a transaction declares in advance, to access them at a lower gas cost (EIP-2930).
 */
export type AccessListEntry = {
  /** Address of the contract. */
  readonly address: string;
  /** Storage keys of the contract, 32 bytes in hex each. */
  readonly storageKeys: readonly string[];
};

/** Fields that the signature covers. */
export type Unsigned = Pick<SenderNonce, 'nonce'> &
  Fees & {
    /** Chain id that is signed (EIP-155). */
    readonly chainId: number;
    /** Address of the recipient, or of the contract that is called. */
    readonly to: string;
    /** Amount, as a decimal number of smallest units. */
    readonly value: string;
    /** Gas limit, as a decimal number. */
    readonly gas: string;
    /** Call data in hex. */
    readonly data: string;
    /** Contracts and storage keys that the transaction declares in advance; absent if there are none. */
    readonly accessList?: readonly AccessListEntry[];
  };
type Hashed = {
  /** Hash of the signed transaction or cancellation. */
  readonly hash: string;
};
export type Signed = Hashed & {
  /** Bytes to broadcast: the signed transaction or cancellation, in hex. */
  readonly raw: string;
};

export type Created = OfTransaction &
  Unsigned &
  OfWallet &
  SenderNonce & {
    /** Fingerprint of the request. The fingerprint distinguishes a retry from another request with the same id. */
    readonly request: string;
  };
export type Sent = OfTransaction & OfWallet & SenderNonce & Hashed;
export type CancellationSent = OfTransaction & Hashed;
export type Refused = OfTransaction & {
  /** Reason that a node gave for the rejection. */
  readonly reason: string;
};
/** Fees of a cancellation, high enough to replace the transaction. */
export type CancelRequested = OfTransaction & Fees;

export type BlockRef = {
  /** Height of the block. */
  readonly number: number;
  /** Hash of the block. */
  readonly hash: string;
  /** Unix time of the block in seconds. Absent in events of early releases. */
  readonly time?: number;
};
type Paid = {
  /**
   * Fee that was paid, as a decimal number of smallest units. Absent if no node reports the fee, and in events of early
   * releases.
   */
  readonly fee?: string;
};
type Arrival = OfTransaction & {
  /** Block that includes the transaction or its cancellation. */
  readonly block: BlockRef;
  /** Number of confirmations of the block when it was observed. */
  readonly confirmations: number;
};
export type CancellationMined = Arrival & Paid;
export type Mined = Arrival &
  Paid & {
    /** True if the transaction was reverted: only the fee was paid. */
    readonly failed: boolean;
    /**
     * Reason for the revert; absent if the transaction was not reverted, or if no node reports the reason.
     */
    readonly reason?: string;
  };
export type Ended = Arrival & {
  /** Present if a reorg may still replace the block: the service then continues to watch the transaction. */
  readonly open?: true;
};
