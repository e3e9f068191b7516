import type { Holding, PaidFee, Transfer } from '../../domain/aggregates/ledger/ledger-data.js';
import type { BlockRef, Created, Mined } from '../../domain/aggregates/transaction/transaction-data.js';
import type { Asset, ImportedToken, NumberedStandard, RegisteredStandard } from '../../domain/asset.js';
import type { TokenDescription } from '../../domain/token-description.js';
import type { Documents } from './documents.js';

/** Header of a block, which links to its parent by hash; `time` is in Unix seconds. */
export type Header = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: number;
};

/** Owner of a token account, and the token that the account holds. */
export type TokenAccount = { readonly owner: string; readonly asset: ImportedToken };

/** Filter by which a connector skips, as early as it can, data that concerns no watched address or contract. */
export type Interest = {
  address(address: string): boolean;
  contract(address: string): boolean;
  /**
   * Returns the tokens that the token account `account` may hold, each with its owner, on chains with token accounts.
   * These claims may be wrong: the connector accepts only claims that the account itself confirms.
   */
  tokenAccounts(account: string): readonly TokenAccount[];
};

/** Transfer as a connector finds it in a block. */
export type Movement = Transfer & {
  /**
   * Party for which the transfer is recorded, on chains where sender and receiver each have a transfer of their own;
   * both parties when absent.
   */
  readonly side?: 'from' | 'to';
};

/**
 * Balance that may have changed without a transfer. The reason is a fee, a withdrawal, a block reward, a transaction of
 * the network itself, coins wrapped by a token contract, or code that no node traced. If `asset` is absent, the balance
 * is that of the native coin.
 */
export type Touch = {
  readonly address: string;
  readonly reason: 'fee' | 'withdrawal' | 'reward' | 'system' | 'wrap' | 'execution';
  readonly asset?: Asset;
  /** Fees that the address paid in this block; only with reason `fee`. */
  readonly fees?: readonly PaidFee[];
};

export type Block = Header & {
  /** Movements in the order in which they happened on the chain. */
  readonly movements: readonly Movement[];
  readonly touches: readonly Touch[];
  /**
   * Imported tokens of accounts that have transactions in the block but could not be verified as the holders of these
   * tokens. The movements of these tokens are missing, so the block must be read again. Absent on chains without token
   * accounts.
   */
  readonly unverified?: readonly TokenAccount[];
  /**
   * Total size of the node responses from which the block was read, in bytes; absent where a connector does not count
   * it.
   */
  readonly bytes?: number;
};

/**
 * Tokens as a request names them. `account` is the account that holds the tokens on the chain. The call `tokens`
 * completes undefined parts.
 */
export type NamedTokens = {
  readonly owner: string | undefined;
  readonly asset: ImportedToken | undefined;
  readonly account: string | undefined;
};
/**
 * Tokens that the chain confirmed. `account` is the address that holds the tokens; absent if the owner's address itself
 * holds them.
 */
export type FoundTokens = { readonly owner: string; readonly asset: Asset; readonly account?: string };

export type Call = Pick<Created, 'from' | 'to' | 'value' | 'data' | 'accessList'>;

/** Outcome of a broadcast; `unknown` means that some nodes may have accepted the transaction. */
export type Broadcast =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Place of a transaction on the chain. The fee is absent where nodes do not report the price that was paid. */
export type Inclusion = Pick<Mined, 'block' | 'failed' | 'fee'>;

/** Calls needed to send transactions on a chain. Every call rejects with NODE_ERROR when no node answers in time. */
export interface Sending {
  chainId(): Promise<number>;
  /** Estimates the gas of a call. Rejects with INVALID_ARGUMENT and the node's reason when the call would fail. */
  estimateGas(call: Call): Promise<string>;
  gasPrice(): Promise<string>;
  /**
   * Returns the base fee of the newest block and the suggested priority fee. Rejects with FAILED_PRECONDITION on a
   * chain whose blocks have no base fee.
   */
  suggestedFees(): Promise<{ readonly baseFee: string; readonly priorityFee: string }>;
  /** Counts the sender's transactions, including pending transactions. */
  pendingCount(from: string): Promise<number>;
  /** Sends a signed transaction to every node. Sending a transaction twice is harmless. Never rejects. */
  broadcast(signed: { readonly raw: string; readonly hash: string }): Promise<Broadcast>;
  /** Counts the transactions of each sender as of exactly block `at`, in the order of `senders`. */
  countsAt(senders: readonly string[], at: Header): Promise<readonly number[]>;
  /**
   * Finds the block of each transaction on the chain that ends with block `at`, in the order of `hashes`; null where a
   * transaction is not included.
   */
  inclusionsAt(hashes: readonly string[], at: Header): Promise<readonly (Inclusion | null)[]>;
  /**
   * Runs a failed transaction again on the state before its block, and returns the reason why it fails; null if it
   * succeeds on that state.
   */
  failureReason(hash: string, block: BlockRef): Promise<string | null>;
  /** Returns for each hash whether any node knows the transaction, mined or pending. */
  knows(hashes: readonly string[]): Promise<readonly boolean[]>;
}

/** One chain, read from all its configured nodes. Calls reject with NODE_ERROR when no node answers in time. */
export interface Chain {
  /**
   * Returns the first block. Its hash identifies the chain; where block 0 is missing, the hash contains the chain id.
   */
  genesis(): Promise<Header>;
  /**
   * Returns whether this is the family's main network. Absent where addresses have the same form on main and test
   * networks.
   */
  isMainNetwork?(): Promise<boolean>;
  head(): Promise<Header>;
  /**
   * Returns the head for a follower that listens to `hints`. If nodes push heads, no request is made; otherwise the
   * head is at most one second old. Absent on chains where requesting the head is cheap.
   */
  followedHead?(): Promise<Header>;
  /** Returns the height up to which blocks can no longer be replaced. */
  finalized(): Promise<number>;
  /** Yields when there may be a new head. Hints are optional: a connector may never yield. */
  hints(signal: AbortSignal): AsyncIterable<void>;
  /** Returns the header at a height; null when the chain is shorter. */
  headerAt(number: number): Promise<Header | null>;
  /** Returns the header with that hash; null when no node knows the block, for example after a reorganization. */
  headerOf(hash: string): Promise<Header | null>;
  /**
   * Returns a block after verifying its contents against its hashes, so that answers of a lagging or malicious node are
   * rejected. Null when no node knows the block.
   */
  block(hash: string, interest: Interest): Promise<Block | null>;
  /**
   * Returns whether transfers made by contracts are seen: true when a node traces blocks, false when no node can, null
   * until a block that ran code was read. Absent on chains whose blocks show every transfer.
   */
  traced?(): boolean | null;
  /**
   * Reads balances in smallest units as of exactly block `at`, in the order of `holdings`; null where the contract does
   * not answer.
   */
  balances(holdings: readonly Holding[], at: Header): Promise<readonly (string | null)[]>;
  /**
   * Searches the logs of a block range for tokens that the addresses received. The result covers the blocks up to the
   * returned `to`, which may be lower than the requested `to`. Absent on chains without token ids.
   */
  tokensReceived?(asked: {
    readonly standard: NumberedStandard;
    readonly contracts: readonly string[];
    readonly addresses: readonly string[];
    readonly from: number;
    readonly to: number;
  }): Promise<{ readonly tokens: readonly Holding[]; readonly to: number }>;
  /**
   * Reads name, symbol and decimals of a token contract. Rejects with FAILED_PRECONDITION when the contract does not
   * answer as its standard requires.
   */
  contract(address: string, standard: RegisteredStandard): Promise<TokenDescription>;
  /** Returns the URI of one token's description; empty when the contract names none. */
  tokenUri(asset: Asset): Promise<string>;
  /**
   * Reads the description of an imported token. `uri` is the address of the document that holds a part of the
   * description, fetched with `read`; empty where there is none. Absent on chains where contracts alone describe
   * tokens.
   */
  describe?(token: ImportedToken, read: Documents['read']): Promise<{ uri: string; description: TokenDescription }>;
  /** Sending of transactions; absent on chains where the service only follows. */
  readonly sending?: Sending;
  /**
   * Completes the undefined parts of `named` from the chain. Rejects an asset that is no token, and an account of
   * another owner.
   */
  tokens(named: NamedTokens): Promise<FoundTokens>;
  /** True where tokens are held by one account per owner and token instead of by the owner's address. */
  readonly hasTokenAccounts?: true;
  close(): Promise<void>;
}
