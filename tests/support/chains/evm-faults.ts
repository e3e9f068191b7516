/** Faults of a node, each of which can be switched on and off at any time. */
export type EvmFaults = {
  /** Number of blocks by which the node is behind the chain. */
  lag: number;
  /** Answers null for blocks that exist. */
  losesBlocks: boolean;
  /** Forgets replaced blocks. */
  forgetsReplaced: boolean;
  /** Fails where other nodes answer null. */
  missingIsError: boolean;
  wrongReceiptHash: boolean;
  missingReceipt: boolean;
  noReceiptsYet: boolean;
  droppedLogs: boolean;
  wrongTransactionHash: boolean;
  otherBlock: boolean;
  malformedHeader: boolean;
  /** HTTP status of every answer. */
  status: number;
  garbage: boolean;
  hang: boolean;
  /** Method whose calls are never answered; empty for none. */
  hangingMethod: string;
  wrongId: boolean;
  /** Size of every answer in bytes; 0 leaves answers as they are. */
  hugeBytes: number;
  /** Error that every call fails with. */
  error: { readonly code: number; readonly message: string } | null;
  noBlockReceipts: boolean;
  noTraces: boolean;
  failingTraces: boolean;
  shortTraces: boolean;
  noStateByHash: boolean;
  /** Accepts a block hash, but answers with the state of the head. */
  ignoresStateHash: boolean;
  noBatches: boolean;
  /** Maximum number of blocks that eth_getLogs may cover, and the error for a larger range. */
  logRange: { readonly max: number; readonly error: { readonly code: number; readonly message: string } } | null;
  noFinalized: boolean;
};

export const noFaults: EvmFaults = {
  lag: 0,
  losesBlocks: false,
  forgetsReplaced: false,
  missingIsError: false,
  wrongReceiptHash: false,
  missingReceipt: false,
  noReceiptsYet: false,
  droppedLogs: false,
  wrongTransactionHash: false,
  otherBlock: false,
  malformedHeader: false,
  status: 200,
  garbage: false,
  hang: false,
  hangingMethod: '',
  wrongId: false,
  hugeBytes: 0,
  error: null,
  noBlockReceipts: false,
  noTraces: false,
  failingTraces: false,
  shortTraces: false,
  noStateByHash: false,
  ignoresStateHash: false,
  noBatches: false,
  logRange: null,
  noFinalized: false,
};
