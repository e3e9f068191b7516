import { Failure } from '../../domain/failure.js';
import type { Cancellation } from '../async/cancellation.js';
import type { MaybePromise } from '../async/maybe-promise.js';

/** Place of the node that gave an answer, in the order of the configuration, and the number of times that nodes were asked. */
export type Source = { readonly node: number; readonly attempts: number };

/** Bytes that a node sent: the JSON of its result or of its error object; without `source` no node was asked. */
export type RpcAnswer =
  | {
      readonly result: Uint8Array;
      /** Chunks of a long result as they arrived, so that it can be passed on without joining them. */
      readonly pieces?: readonly Uint8Array[];
      /**
       * Counts a cache hit. Present on results that never change: a caller that keeps one calls this on each reuse, and
       * drops the result when this returns false, because the nodes serve another chain since.
       */
      readonly repeated?: () => boolean;
      readonly source?: Source;
    }
  | { readonly error: Uint8Array; readonly source?: Source };

export type RpcCall = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Group of calls: those made at the same time reach a node as one batch. */
  readonly bundle?: symbol;
  /** True where an empty result is expected to be wrong, so that the other nodes are asked as well. */
  readonly doubtsEmpty?: boolean;
  /** True to ask a node, whatever is remembered. */
  readonly isFresh?: boolean;
};

export type Head = { readonly number: number; readonly hash: string };

/** Statistics of a pool of nodes. */
type NodeMetrics = {
  readonly hits: number;
  readonly misses: number;
  /** Calls that shared the answer of an identical call in flight. */
  readonly coalesced: number;
  /** Members in the order of the configuration. */
  readonly members: readonly { readonly isUp: boolean; readonly head: number }[];
};

/** Failure to get an answer from any node in time. */
export class NodeTimeout extends Failure {
  constructor() {
    super('UNAVAILABLE', 'no node of this chain answered in time');
  }
}

/** Reason for a node's refusal: it lacks the requested data, it lacks the method, or something else. */
export type RefusalKind = 'missing' | 'unsupported' | 'other';

export class NodeRefusal extends Failure {
  readonly kind: RefusalKind;
  constructor(kind: RefusalKind, message: string) {
    super('NODE_ERROR', message);
    this.kind = kind;
  }
}

/** Heads that processes told their callers, by gateway address, so that no process tells of an older one. */
export interface AnnouncedHeads {
  /** Tells the other processes of a head, which may reach them late or not at all. */
  tell(address: string, height: number): void;
  /** Calls the listener with the newest head and with each later one; resolves once no later one is missed. */
  hear(address: string, listener: (height: number) => void): Promise<void>;
  close(): Promise<void>;
}

/** Pool of nodes behind one gateway address, used like a single node that does not fail. */
export interface Node {
  /** True for the development chain, which offers the `dev_` methods. */
  readonly isDevelopment: boolean;
  /** Each name of the methods that a setting adds for this address. */
  readonly extraMethods?: ReadonlySet<string>;
  /**
   * Answers from the cache, synchronously, or from the first node that answers properly; methods have their `eth_`
   * names. Heads never go backwards. Rejects with UNAVAILABLE when no node answers. A call is given up once none of its
   * cancellations is left.
   */
  answer(call: RpcCall, cancellation?: Cancellation): MaybePromise<RpcAnswer>;
  /** Returns the parsed result of a call; rejects with a NodeRefusal and the node's reason when the node refuses. */
  ask(method: string, params: readonly unknown[], terms?: Pick<RpcCall, 'bundle' | 'doubtsEmpty'>): Promise<unknown>;
  /** Returns the newest block that any node knows; of several at that height, the one that was returned last. */
  head(): Promise<Head>;
  /** Calls `notice` when there may be a new head, until the signal fires. */
  watchHeads(notice: () => void, signal: AbortSignal): void;
  /** Calls `notice` with the hash of each new pending transaction, from when this resolves until the signal fires. */
  watchPending(notice: (hash: string) => void, signal: AbortSignal): Promise<void>;
  metrics(): NodeMetrics;
  /** Signal that fires when the pool is closed. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}
