import type { Asset } from '../../asset.js';
import type { FollowedBlock } from '../chain/block.js';
import type { OfWallet } from '../wallet.js';

/** Successful or failed transfer of an asset, as observed on the chain. */
export type Transfer = {
  /** Hash of the transaction, or its digest on Sui. */
  readonly transaction: string;
  /**
   * Identifies the transfer within its transaction, such as `native`, `log:3` or `out:0`. It does not depend on the
   * block that includes the transaction.
   */
  readonly index: string;
  /** Asset that was transferred. */
  readonly asset: Asset;
  /** Address of the sender. Empty on Sui for value that no address paid, and on TON for minted jettons. */
  readonly from: string;
  /** Address of the recipient. Empty on Sui for value that reached no address, and on TON for burnt jettons. */
  readonly to: string;
  /** Amount, as a decimal number of smallest units. */
  readonly value: string;
  /** Fee of the whole transaction, as a decimal number of smallest units of the chain's own coin. */
  readonly fee: string;
  /** True if no value moved: the transaction was reverted or, on TON, the value bounced. */
  readonly failed: boolean;
  /**
   * Fields that only transfers of this chain family have. EVM: `nonce`. TON: `seq_no`, `workchain`, `shard`, both
   * user-friendly addresses, `message`, `transfer_hash`, `transfer_type`, `bounced` and, where they apply,
   * `comment_encrypted` and `extra_currencies` (`id=amount`, separated by commas). Sui: none.
   */
  readonly details: Readonly<Record<string, string | number>>;
};

/** Asset that an address may hold. */
export type Holding = {
  /** Address in its canonical stored form. */
  readonly address: string;
  /** Asset whose balance is meant. */
  readonly asset: Asset;
};
export type Balance = Holding & {
  /** Balance, as a decimal number of smallest units. */
  readonly balance: string;
};
/** Balance that could not be read. */
export type UnreadBalance = Holding & {
  /** Reason why the contract did not return the balance. */
  readonly reason: string;
};

/** Reading of a balance from a node. */
export type Reading = OfWallet &
  Balance & {
    /** Block at which the balance was read. */
    readonly at: FollowedBlock;
    /**
     * Present if the reading replaces an earlier one that was made at a greater height, because a reorg replaced a
     * block that the earlier reading included.
     */
    readonly correction?: true;
  };

/** Activity of one wallet in one block. */
export type Activity = OfWallet & {
  /** Block that the event is about. */
  readonly block: FollowedBlock & {
    /** Unix time of the block in seconds. */
    readonly time: number;
  };
};
/** Transfer from or to a wallet. */
export type Seen = {
  /** Transfer as observed on the chain. */
  readonly transfer: Transfer;
  /** Sender and recipient of the transfer; each only if it belongs to the wallet. */
  readonly own: readonly string[];
};
/** Mark of events from before the registration of an address. */
export type Imported = {
  /**
   * Present if ImportHistory read the event from the chain's past. A transfer is already confirmed then, and no webhook
   * is notified.
   */
  readonly imported?: true;
};
/** Fee that an address paid for one transaction. */
export type PaidFee = {
  /** Hash of the transaction, or its digest on Sui. */
  readonly transaction: string;
  /** Fee, as a decimal number of smallest units of the chain's own coin. Negative on Sui if storage was refunded. */
  readonly value: string;
};
export type Touched = Activity &
  Holding &
  Imported & {
    /**
     * Cause of the change: `fee`, `withdrawal`, `reward`, `system` (a transaction made by the network itself), `wrap`
     * (coins that a contract wrapped or unwrapped), `execution` (contract execution that no node traced) or `refresh`
     * (a request asked for the balance).
     */
    readonly reason: string;
    /** Fees that the address paid in the block; only with `fee`, and absent in events stored before fees were recorded. */
    readonly fees?: readonly PaidFee[];
  };
export type TransferChange = Activity &
  Pick<Transfer, 'transaction' | 'index'> & {
    /** True if the transfer moved no value, as `transfer.failed` of TransferObserved. */
    readonly failed: boolean;
  };
export type Settled = Activity & {
  /** Present while a webhook that waits for more confirmations is still to be notified. */
  readonly open?: true;
  /** Present while the balances that the block may have changed are still to be read. */
  readonly unread?: true;
};
export type Closed = Activity & {
  /**
   * Present if no webhook was notified, because all of them were disabled or removed. Only the notification feed contains
   * the block's transfers then.
   */
  readonly feedOnly?: true;
};
export type Dropped = Activity & {
  /** True if balances are still to be read again, or webhooks to be notified that transfers were removed. */
  readonly due: boolean;
};
