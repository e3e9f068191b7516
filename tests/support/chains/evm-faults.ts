import { type Answer, blockAnswer } from './evm-answers.js';
import type { EvmChain, MinedBlock } from './evm-chain.js';

/** Faults of a node, each of which can be switched on and off at any time. */
export type EvmFaults = {
  /** Number of blocks by which the node is behind the chain. */
  lag: number;
  /** Answers null for blocks that exist. */
  losesBlocks: boolean;
  /** Number of the first block after block 0 that the node has; it silently omits the logs of earlier blocks. */
  firstKept: number;
  /** Forgets blocks that a reorganization has replaced. */
  forgetsReplaced: boolean;
  /** Answers requests for a block that the node does not have with an error, where other nodes answer null. */
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
  /** Error with which every call fails; null for none. */
  error: { readonly code: number; readonly message: string } | null;
  noBlockReceipts: boolean;
  noTraces: boolean;
  failingTraces: boolean;
  shortTraces: boolean;
  noStateByHash: boolean;
  /** Accepts a block hash in requests for state, but answers with the state of the head block. */
  ignoresStateHash: boolean;
  noBatches: boolean;
  /** Limit of eth_getLogs: maximum number of blocks in a range, and the error for a larger range; null for no limit. */
  logRange: { readonly max: number; readonly error: { readonly code: number; readonly message: string } } | null;
  noFinalized: boolean;
};

export const noFaults: EvmFaults = {
  lag: 0,
  losesBlocks: false,
  firstKept: 1,
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

type Faulty = { readonly chain: EvmChain; readonly faults: EvmFaults };

/** Returns the node's answer for a block, with the faults of blocks. */
export const spoilBlock = ({ chain, faults }: Faulty, block: MinedBlock, isFull: boolean) => {
  const answer: Record<string, unknown> = {
    ...blockAnswer(faults.otherBlock ? (chain.at(0) ?? block) : block, isFull),
  };
  if (faults.malformedHeader) answer.number = `0x${'f'.repeat(100_000)}`;
  if (faults.wrongTransactionHash && isFull)
    answer.transactions = (answer.transactions as Answer[]).map((one) => ({ ...one, blockHash: chain.at(0)?.hash }));
  return answer;
};

/** Returns the node's answer for receipts, with the faults of receipts; null while it has none. */
export const spoilReceipts = ({ chain, faults }: Faulty, receipts: readonly Answer[]): readonly Answer[] | null => {
  if (faults.noReceiptsYet) return null;
  if (faults.missingReceipt) return receipts.slice(1);
  if (faults.wrongReceiptHash) return receipts.map((one) => ({ ...one, blockHash: chain.at(0)?.hash }));
  return faults.droppedLogs ? receipts.map((one) => ({ ...one, logs: [] })) : receipts;
};
