import { Failure } from '../../domain/failure.js';
import type { Cancellation } from '../async/cancellation.js';
import type { MaybePromise } from '../async/maybe-promise.js';

/** Index of the node that answered, in the order of the configuration, and the number of attempts on all nodes. */
export type Source = {
  readonly node: number;
  readonly attempts: number;
  /** Indexes of the other nodes that parts of the answer come from. */
  readonly others?: readonly number[];
};

/** Returns the indexes of the nodes that an answer comes from; none when no node was asked. */
export const nodesIn = (source: Source | undefined): readonly number[] =>
  source ? [source.node, ...(source.others ?? [])] : [];

/** JSON bytes of a node's result or error object; `source` is absent when no node was asked. */
export type RpcAnswer =
  | {
      readonly result: Uint8Array;
      /** Chunks in which the result arrived, so that a result of many chunks can be streamed without joining them. */
      readonly pieces?: readonly Uint8Array[];
      /**
       * Counts a cache hit. Present on results that never change. A caller that caches the result calls this function
       * on each reuse, and drops the result when it returns false, because the nodes have switched to another chain.
       */
      readonly recordReuse?: () => boolean;
      readonly source?: Source;
    }
  | { readonly error: Uint8Array; readonly source?: Source };

export type RpcCall = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Group of calls; concurrent calls of one group are sent to a node as one batch. */
  readonly bundle?: symbol;
  /** True where an empty result is probably wrong, so that the other nodes are asked as well. */
  readonly retryIfEmpty?: boolean;
  /** True to ask a node even if the answer is cached. */
  readonly bypassCache?: boolean;
  /** Index of the node that is asked before the other nodes. */
  readonly node?: number;
};

export type Head = { readonly number: number; readonly hash: string };

/** Statistics of a pool of nodes. */
type NodeMetrics = {
  readonly hits: number;
  readonly misses: number;
  /** Number of calls that shared the answer of an identical call in flight. */
  readonly coalesced: number;
  /** Nodes of the pool, in the order of the configuration. */
  readonly members: readonly { readonly isUp: boolean; readonly head: number }[];
};

/** Failure to get an answer from any node in time. */
export class NodeTimeout extends Failure {
  constructor() {
    super('UNAVAILABLE', 'no node of this chain answered in time');
  }
}

/** Cause of an error answer: the node lacks the requested data, lacks the method, or anything else. */
export type RefusalKind = 'missing' | 'unsupported' | 'other';

export class NodeRefusal extends Failure {
  readonly kind: RefusalKind;
  constructor(kind: RefusalKind, message: string) {
    super('NODE_ERROR', message);
    this.kind = kind;
  }
}

/**
 * Shares the highest head that any process returned to a client, so that heads never go backwards from one process to
 * another. `address` names the gateway address and the chain that its nodes serve.
 */
export interface AnnouncedHeads {
  /** Publishes a head to the other processes. Delivery is best effort. */
  announce(address: string, height: number): void;
  /** Calls the listener with the newest head and each later head; resolves once no later head can be missed. */
  listen(address: string, listener: (height: number) => void): Promise<void>;
  close(): Promise<void>;
}

/** Pool of nodes behind one gateway address, used like a single reliable node. */
export interface Node {
  /** True for the development chain, which offers the `dev_` methods. */
  readonly isDevelopment: boolean;
  /** Names of the methods that `GATEWAY_<CHAIN>_<NETWORK>_METHODS` adds for this address. */
  readonly extraMethods?: ReadonlySet<string>;
  /**
   * Returns an answer synchronously from the cache, or a promise of the first valid answer of a node. Methods have the
   * names that nodes know (`eth_…`). Heads never go backwards. Rejects with UNAVAILABLE when no node answers. A call is
   * aborted once every caller that shares it has cancelled.
   */
  answer(call: RpcCall, cancellation?: Cancellation): MaybePromise<RpcAnswer>;
  /** Returns the parsed result of `answer`. Rejects with NodeRefusal and the node's message on an error answer. */
  ask(method: string, params: readonly unknown[], terms?: Pick<RpcCall, 'bundle' | 'retryIfEmpty'>): Promise<unknown>;
  /**
   * Returns the newest block that any node knows. Among several blocks at that height, the block that the previous call
   * returned is preferred.
   */
  head(): Promise<Head>;
  /** Calls the listener when there may be a new head, until the signal fires. */
  watchHeads(listener: () => void, signal: AbortSignal): void;
  /**
   * Calls the listener with the hash of each new pending transaction, from the time at which the returned promise
   * resolves until the signal fires.
   */
  watchPending(listener: (hash: string) => void, signal: AbortSignal): Promise<void>;
  metrics(): NodeMetrics;
  /** Signal that fires when the pool is closed. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}
