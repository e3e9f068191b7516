import type { Asset, ImportedToken, TokenStandard } from '../../domain/asset.js';
import type { Holding, Transfer } from '../../domain/ledger.js';

/** A block as the chain links it; `time` is Unix seconds. */
export type Header = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: number;
};

/** What of a block anybody wants to know: a connector leaves out the rest as early as it can. */
export type Interest = {
  address(address: string): boolean;
  contract(address: string): boolean;
  /** Whose tokens an account keeps, where chains keep them in accounts of their own; null when nobody's that matter. */
  tokenAccount(account: string): { readonly owner: string; readonly asset: ImportedToken } | null;
};

/** A transfer as a connector finds it in a block. */
export type Movement = Transfer & {
  /** Which of the two addresses it is told to, where each side of a transfer has a record of its own; else both. */
  readonly side?: 'from' | 'to';
};

/** A balance, the native one unless it is said, that changed without a transfer: a fee, a withdrawal, a block reward. */
export type Touch = {
  readonly address: string;
  readonly reason: 'fee' | 'withdrawal' | 'reward';
  readonly asset?: Asset;
};

export type Block = Header & {
  /** In the order the chain made them. */
  readonly movements: readonly Movement[];
  readonly touches: readonly Touch[];
};

/** As a request names tokens of an address: whose, what they are, or where the chain keeps them. */
export type NamedTokens = {
  readonly owner: string | undefined;
  readonly asset: ImportedToken | undefined;
  readonly account: string | undefined;
};
/** `account`: where the chain keeps them, when that is an address of its own. */
export type FoundTokens = { readonly owner: string; readonly asset: Asset; readonly account?: string };

export type TokenContract = { readonly name?: string; readonly symbol?: string; readonly decimals?: number };

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

/** What a chain offers those who send on it. What no node answers in time rejects with NODE_ERROR. */
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

/** One chain, behind as many nodes as are configured. What no node answers in time rejects with NODE_ERROR. */
export interface Chain {
  /** Tells this chain from every other: the hash of its first block. */
  genesis(): Promise<Header>;
  head(): Promise<Header>;
  /** The height below which nothing is replaced any more. */
  finalized(): Promise<number>;
  /** Yields when there may be a new head; only a hint, and there may be none at all. */
  hints(signal: AbortSignal): AsyncIterable<void>;
  /** Null when the chain is not that high. */
  headerAt(number: number): Promise<Header | null>;
  /** Null when no node knows it, for example because it was replaced. */
  headerOf(hash: string): Promise<Header | null>;
  /** Checked against itself, so that a node that lags or lies is not believed. Null when no node knows it. */
  block(hash: string, interest: Interest): Promise<Block | null>;
  /** In the order asked, smallest units, as of that very block. Null where the contract gives no answer. */
  balances(holdings: readonly Holding[], at: Header): Promise<readonly (string | null)[]>;
  /** What a token contract says about itself; refuses with FAILED_PRECONDITION one that does not answer as its standard. */
  contract(address: string, standard: TokenStandard): Promise<TokenContract>;
  /** Where the description of one token lies; empty when it does not say. */
  tokenUri(asset: Asset): Promise<string>;
  /** Where transactions can be sent. */
  readonly sending?: Sending;
  /** What is left open is asked of the chain; refuses what is no token, or not the owner's. */
  tokens(named: NamedTokens): Promise<FoundTokens>;
  close(): Promise<void>;
}
