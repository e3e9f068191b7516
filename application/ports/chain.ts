import type { Holding, Transfer } from '../../domain/aggregates/ledger.js';
import type { Asset, ImportedToken, NumberedStandard, RegisteredStandard } from '../../domain/asset.js';
import type { TokenDescription } from '../../domain/token-description.js';
import type { Documents } from './documents.js';

/** Block as the chain links it; `time` is Unix seconds. */
export type Header = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: number;
};

/** Owner and token of an account that holds tokens. */
export type TokenAccount = { readonly owner: string; readonly asset: ImportedToken };

/** Filter that lets a connector leave out, as early as it can, whatever concerns no watched address or contract. */
export type Interest = {
  address(address: string): boolean;
  contract(address: string): boolean;
  /**
   * Returns the imports that name an account as the holder of their tokens, on chains with such accounts. They are
   * claims of organizations: the connector believes those that the account itself confirms.
   */
  tokenAccounts(account: string): readonly TokenAccount[];
};

/** Transfer as a connector finds it in a block. */
export type Movement = Transfer & {
  /**
   * Side of the transfer that gets a record, on chains where sender and receiver each have their own; both when absent.
   */
  readonly side?: 'from' | 'to';
};

/**
 * Balance that changed without a transfer: by a fee, a withdrawal, a block reward, a transaction that the network itself
 * made, by coins that a token contract wrapped, or perhaps by code that no node traced. The native one when `asset` is
 * absent.
 */
export type Touch = {
  readonly address: string;
  readonly reason: 'fee' | 'withdrawal' | 'reward' | 'system' | 'wrap' | 'execution';
  readonly asset?: Asset;
};

export type Block = Header & {
  /** Movements in the order in which the chain made them. */
  readonly movements: readonly Movement[];
  readonly touches: readonly Touch[];
  /** Bytes of the nodes' answers from which the block was read; absent where a connector does not count them. */
  readonly bytes?: number;
};

/** Tokens as a request names them: by owner, by asset or by the account that holds them on the chain. */
export type NamedTokens = {
  readonly owner: string | undefined;
  readonly asset: ImportedToken | undefined;
  readonly account: string | undefined;
};
/**
 * Tokens that the chain confirmed; `account` is the address that holds them, on chains where that is not the owner's.
 */
export type FoundTokens = { readonly owner: string; readonly asset: Asset; readonly account?: string };

export type Call = { readonly from: string; readonly to: string; readonly value: string; readonly data: string };

/** Outcome of handing a transaction to the nodes; `unknown` means that some of them may have accepted it. */
export type Broadcast =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export type Inclusion = {
  readonly block: { readonly number: number; readonly hash: string };
  readonly failed: boolean;
};

/** Calls needed to send transactions on a chain. Each rejects with NODE_ERROR when no node answers in time. */
export interface Sending {
  chainId(): Promise<number>;
  /** Estimates the gas of a call; refuses a call that would fail, with INVALID_ARGUMENT and the node's reason. */
  estimateGas(call: Call): Promise<string>;
  gasPrice(): Promise<string>;
  /** Counts the sender's transactions, including those that wait for a block. */
  pendingCount(from: string): Promise<number>;
  /** Sends a signed transaction to every node; sending one twice is harmless. Never rejects. */
  broadcast(signed: { readonly raw: string; readonly hash: string }): Promise<Broadcast>;
  /** Counts the transactions of each sender as of exactly that block, in the order of `senders`. */
  countsAt(senders: readonly string[], at: Header): Promise<readonly number[]>;
  /**
   * Finds each transaction on the chain that ends with that block, in the order of `hashes`; null where it is not
   * included.
   */
  inclusionsAt(hashes: readonly string[], at: Header): Promise<readonly (Inclusion | null)[]>;
  /** Tells for each hash whether any node knows the transaction, included or pending. */
  knows(hashes: readonly string[]): Promise<readonly boolean[]>;
}

/** One chain behind all its configured nodes. Calls reject with NODE_ERROR when no node answers in time. */
export interface Chain {
  /** Returns the first block; its hash identifies the chain, and has the id of the chain in it where number 0 is missing. */
  genesis(): Promise<Header>;
  /** Tells whether the chain is its family's main network; absent where addresses of test networks look the same. */
  isMainNetwork?(): Promise<boolean>;
  head(): Promise<Header>;
  /**
   * Returns the head for a follower that listens to `hints`, without a request where nodes tell it by themselves, and at
   * most a second old where they do not. Absent on chains where asking for the head is cheap.
   */
  followedHead?(): Promise<Header>;
  /** Returns the height below which blocks can no longer be replaced. */
  finalized(): Promise<number>;
  /** Yields when there may be a new head. A hint only: a connector may never yield. */
  hints(signal: AbortSignal): AsyncIterable<void>;
  /** Returns the header at a height; null when the chain is shorter. */
  headerAt(number: number): Promise<Header | null>;
  /** Returns the header with that hash; null when no node knows it, for example after a reorganization. */
  headerOf(hash: string): Promise<Header | null>;
  /**
   * Returns a block after checking its contents against its own hashes, so that a node that lags or lies is not
   * believed. Null when no node knows the block.
   */
  block(hash: string, interest: Interest): Promise<Block | null>;
  /**
   * Tells whether transfers made by contracts are seen: true when a node traces blocks, false when none can, null until
   * a block that ran code was read. Absent on chains whose blocks show every transfer.
   */
  traced?(): boolean | null;
  /**
   * Reads balances in smallest units as of exactly that block, in the order of `holdings`; null where the contract does
   * not answer.
   */
  balances(holdings: readonly Holding[], at: Header): Promise<readonly (string | null)[]>;
  /**
   * Looks through the logs of blocks, from one up to another, for tokens that some addresses received. Gives those up to
   * the block `to` of the answer, which may be an earlier one than was asked for. Absent on chains without token ids.
   */
  tokensReceived?(asked: {
    readonly standard: NumberedStandard;
    readonly contracts: readonly string[];
    readonly addresses: readonly string[];
    readonly from: number;
    readonly to: number;
  }): Promise<{ readonly tokens: readonly Holding[]; readonly to: number }>;
  /**
   * Reads name, symbol and decimals of a token contract; refuses with FAILED_PRECONDITION one that does not answer as
   * its standard demands.
   */
  contract(address: string, standard: RegisteredStandard): Promise<TokenDescription>;
  /** Returns the URI of one token's description; empty when the contract names none. */
  tokenUri(asset: Asset): Promise<string>;
  /**
   * Reads the description of an imported token, and the URI of the document that has a part of it; empty where there is
   * none. `read` fetches that document. Absent on chains where tokens are described by their contracts alone.
   */
  describe?(token: ImportedToken, read: Documents['read']): Promise<{ uri: string; description: TokenDescription }>;
  /** Sending of transactions; absent on chains where the service only follows. */
  readonly sending?: Sending;
  /**
   * Asks the chain for the parts of `named` that are undefined; refuses an asset that is no token and an account of
   * another owner.
   */
  tokens(named: NamedTokens): Promise<FoundTokens>;
  /** True where an address does not hold its tokens itself, but an account for each kind of them. */
  readonly hasTokenAccounts?: true;
  close(): Promise<void>;
}
