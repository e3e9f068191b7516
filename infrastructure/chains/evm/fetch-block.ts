import { TimedOut } from '../../deadline.js';
import { NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { list } from '../../nodes/raw.js';
import { createPace } from '../../pace.js';
import { type BlockBody, type CheckedBlock, checkBody, checkReceipts, receiptsFor } from './checked-block.js';
import type { Node } from './nodes.js';
import { resultOf } from './outcome.js';

/**
 * Share of the remaining time for requesting all receipts with one call. The rest is left for requesting them one by
 * one.
 */
const listShare = 0.5;
/**
 * Number of blocks whose receipts are requested one by one after a request for all receipts timed out, so that not
 * every block waits for a timeout.
 */
const skippedAfterTimeout = 32;
const isTimeout = ({ cause }: NodeFault) => cause instanceof TimedOut;

/**
 * Fetches all receipts of a block with one call. Returns an empty list if the call is skipped, fails or times out: some
 * nodes fail only for certain blocks.
 */
const receiptsTogether = async ({ can, call }: Node, hash: string): Promise<readonly unknown[]> => {
  if (can.blockReceipts === false) return [];
  if (can.listsToSkip) {
    can.listsToSkip--;
    return [];
  }
  try {
    const receipts = await call('eth_getBlockReceipts', [hash], listShare);
    can.blockReceipts = true;
    return receipts === null ? [] : list(receipts, 'the receipts of the block');
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind === 'busy' || error.kind === 'late') throw error;
    if (error.kind === 'unsupported') can.blockReceipts ??= false;
    if (isTimeout(error)) can.listsToSkip = skippedAfterTimeout;
    return [];
  }
};

/**
 * Adds the receipts that are missing from `given`. Fetches each with its own call, because some nodes return certain
 * receipts only in that way.
 */
const completed = async (node: Node, body: BlockBody, given: readonly unknown[]): Promise<readonly unknown[]> => {
  const found = receiptsFor(body, given);
  const missing = body.transactions.filter((_, i) => found[i] === undefined);
  const calls = missing.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
  return missing.length === 0 ? given : [...given, ...(await node.batch(calls)).map(resultOf)];
};

/**
 * Fetches a block and its receipts from one node, by hash so that forks cannot mix; null if the node lacks the block.
 */
export const fetchBlock = async (node: Node, hash: string): Promise<CheckedBlock | null> => {
  const pace = createPace();
  const asked = receiptsTogether(node, hash);
  // Prevents an unhandled rejection: the receipts are never awaited if the block fails first.
  asked.catch(() => undefined);
  const answer = await nullIfMissing(node.call('eth_getBlockByHash', [hash, true]));
  if (answer === null) return null;
  await pace.breathe();
  const body = await checkBody(answer, hash, pace);
  const receipts = await completed(node, body, await asked);
  await pace.breathe();
  return await checkReceipts(body, receipts, pace);
};
