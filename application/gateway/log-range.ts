import { isQuantity, isRecord } from '../../domain/rpc-value.js';
import type { MaybePromise } from '../async/maybe-promise.js';
import type { Node } from '../ports/node.js';

/** Maximum number of blocks that a log filter may cover; searching more would delay other callers of the node. */
export const maxBlocks = 10_000;

/** Returns the height of a block parameter; null for an absent parameter and for tags of blocks near the head. */
const heightOf = (block: unknown): number | null => {
  if (block === 'earliest') return 0;
  return isQuantity(block) ? Number(block) : null;
};

const faultOf = (from: number, to: number) =>
  to - from < maxBlocks ? null : `must cover at most ${maxBlocks} blocks: split the range`;

/** Returns the greatest known head height of the nodes; 0 before a node has reported a head. */
export const headSeen = (node: Pick<Node, 'metrics'>) => Math.max(0, ...node.metrics().members.map(({ head }) => head));

/**
 * Returns the number of blocks that a filter covers, from 1 to `maxBlocks`. Tags near the head count as `seen`, the
 * height of the last known head.
 */
export const blocksIn = (given: unknown, seen: number): number => {
  const { fromBlock, toBlock } = isRecord(given) ? given : {};
  const blocks = (heightOf(toBlock) ?? seen) - (heightOf(fromBlock) ?? seen) + 1;
  return Math.min(Math.max(1, blocks), maxBlocks);
};

/** Returns an error text for a filter that covers too many blocks; null for a valid filter. */
export const rangeFault = (node: Node, given: unknown): MaybePromise<string | null> => {
  const { fromBlock, toBlock } = isRecord(given) ? given : {};
  const from = heightOf(fromBlock);
  const to = heightOf(toBlock) ?? Number.POSITIVE_INFINITY;
  if (from === null || faultOf(from, to) === null) return null;
  // Needs no request for the head if the filter starts near the last known head, because it then covers few blocks.
  const seen = headSeen(node);
  if (seen > 0 && seen - from < maxBlocks / 2) return null;
  return node.head().then((head) => faultOf(from, Math.min(to, head.number)));
};
