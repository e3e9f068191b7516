import { Failure } from '../../domain/failure.js';
import type { Waiter } from '../async/cancellation.js';
import type { MaybePromise } from '../async/maybe-promise.js';

/** A node's own bytes: the JSON of its result, or of its error object. */
export type RpcAnswer =
  | {
      readonly result: Uint8Array;
      /** The same, where it is long and came in several: whoever passes it on need not join them. */
      readonly pieces?: readonly Uint8Array[];
      /** Comes with what was remembered because it never changes: whoever keeps it says when it is asked for again. */
      readonly repeated?: () => void;
    }
  | { readonly error: Uint8Array };

export type RpcCall = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Calls of one bundle that are made at the same time reach a node as one batch. */
  readonly bundle?: symbol;
};

export type Head = { readonly number: number; readonly hash: string };

/** What is shown of a pool of nodes. */
type NodeFigures = {
  readonly hits: number;
  readonly misses: number;
  /** Calls that were answered along with an identical one. */
  readonly coalesced: number;
  /** In the order they are configured. */
  readonly members: readonly { readonly isUp: boolean; readonly head: number }[];
};

/** No node answered in time. */
export class NodeTimeout extends Failure {
  constructor() {
    super('UNAVAILABLE', 'no node of this chain answered in time');
  }
}

/** Why a node refuses: it lacks what is asked about, or the method, or it is something else. */
export type RefusalKind = 'missing' | 'unsupported' | 'other';

export class NodeRefusal extends Failure {
  readonly kind: RefusalKind;
  constructor(kind: RefusalKind, message: string) {
    super('NODE_ERROR', message);
    this.kind = kind;
  }
}

/** The nodes behind one gateway address, as if they were one that does not fail. */
export interface Node {
  /** Whether this is the development chain, which takes the `dev_` methods. */
  readonly isDevelopment: boolean;
  /**
   * At once from what is remembered, else from whichever node answers as it should; methods by their `eth_` names. Heads never go
   * backwards. Rejects with UNAVAILABLE when no node does. What nobody waits for any more is let go of.
   */
  answer(call: RpcCall, waiter?: Waiter): MaybePromise<RpcAnswer>;
  /** The same, read; rejects with a NodeRefusal and the node's reason where it refuses. */
  ask(method: string, params: readonly unknown[], bundle?: symbol): Promise<unknown>;
  /** The newest block that any node knows; at equal height it stays with the one it told last. */
  head(): Promise<Head>;
  /** Calls when there may be a new head, until the signal. */
  watchHeads(notice: () => void, signal: AbortSignal): void;
  /** Calls with the hash of each transaction that becomes pending, from when this resolves until the signal. */
  watchPending(notice: (hash: string) => void, signal: AbortSignal): Promise<void>;
  figures(): NodeFigures;
  /** Fires when they are let go of. */
  readonly closed: AbortSignal;
  close(): Promise<void>;
}
