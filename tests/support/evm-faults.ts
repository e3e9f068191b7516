/** What is wrong with a node; each may be set and taken back at any time. */
export type EvmFaults = {
  /** So many blocks of the head it does not know yet. */
  lag: number;
  /** Answers null for blocks that it ought to know. */
  losesBlocks: boolean;
  /** Does not know replaced blocks any more. */
  forgetsReplaced: boolean;
  /** Fails, where others answer null. */
  missingIsError: boolean;
  wrongReceiptHash: boolean;
  missingReceipt: boolean;
  noReceiptsYet: boolean;
  droppedLogs: boolean;
  wrongTransactionHash: boolean;
  otherBlock: boolean;
  malformedHeader: boolean;
  /** Answered with, in place of 200. */
  status: number;
  garbage: boolean;
  hang: boolean;
  wrongId: boolean;
  /** Answers with so many bytes. */
  hugeBytes: number;
  /** The error object that every call fails with. */
  error: { readonly code: number; readonly message: string } | null;
  noBlockReceipts: boolean;
  noTraces: boolean;
  failingTraces: boolean;
  shortTraces: boolean;
  noStateByHash: boolean;
  /** Takes a block's hash and answers for the head all the same. */
  ignoresStateHash: boolean;
  noBatches: boolean;
  noFinalized: boolean;
};

export const none: EvmFaults = {
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
  noFinalized: false,
};
