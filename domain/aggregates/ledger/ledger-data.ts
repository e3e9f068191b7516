import type { Asset } from '../../asset.js';
import type { FollowedBlock } from '../chain/block.js';
import type { OfWallet } from '../wallet.js';

/** Successful or failed transfer of an asset, as observed on the chain. */
export type Transfer = {
  /** Hash of the transaction, or its digest on Sui. */
  readonly transaction: string;
  /**
   * Identifies the transfer within its transaction, such as `native`, `log:3` or `out:0`. The identifier does not
   * depend on the block that includes the transaction.
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
  /** Asset of the balance. */
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
     * Present after a reorg: the reading then replaces earlier readings even from greater heights, because the reorg
     * may have made earlier readings wrong.
     */
    readonly correction?: true;
  };

/** Activity of one wallet in one block: its transfers and other balance changes. */
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
  /** Addresses of the wallet in the transfer: its sender, its recipient, or both. */
  readonly own: readonly string[];
};
/** Mark of events that an import (ImportHistory) read from blocks before the registration of an address. */
export type Imported = {
  /**
   * Present if an import (ImportHistory) read the event from blocks before the registration of the address. An imported
   * transfer is already confirmed, and no webhook is notified of it.
   */
  readonly imported?: true;
};
/** Fee that an address paid for one transaction. */
export type PaidFee = {
  /** Hash of the transaction, or its digest on Sui. */
  readonly transaction: string;
  /**
   * Fee, as a decimal number of smallest units of the chain's own coin. Negative on Sui if the rebate for freed storage
   * exceeds the gas.
   */
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
    /**
     * Fees that the address paid in the block. Present only if `reason` is `fee`; absent in events stored before fees
     * were recorded.
     */
    readonly fees?: readonly PaidFee[];
  };
export type TransferChange = Activity &
  Pick<Transfer, 'transaction' | 'index'> & {
    /** True if the transfer moved no value. Equal to `transfer.failed` of its TransferObserved event. */
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
   * Present if no webhook was notified of the block's transfers, because all webhooks were disabled or removed: only
   * the notification feed contains these transfers.
   */
  readonly feedOnly?: true;
};
export type Dropped = Activity & {
  /** True if balances must be read again, or webhooks must be notified that transfers were removed. */
  readonly due: boolean;
};
