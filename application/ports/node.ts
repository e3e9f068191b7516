/** What a JSON-RPC node answered, or that it refused with an error object of its own. */
export type RpcAnswer = { readonly result: unknown } | { readonly error: object };

/** The nodes behind one gateway address. */
export interface Node {
  /** Whether this is the development chain, which takes the `dev_` methods. */
  readonly isDevelopment: boolean;
  /** Answers in the order asked. Rejects with UNAVAILABLE when no node can be reached, NODE_ERROR when none answers as it should. */
  call(calls: readonly { readonly method: string; readonly params: unknown }[]): Promise<readonly RpcAnswer[]>;
  close(): Promise<void>;
}
