import { isQuantity, isRecord } from '../../domain/rpc-value.js';
import type { MaybePromise } from '../async/maybe-promise.js';
import type { Node } from '../ports/node.js';

/** No node finds the logs of more in a time that others should wait for. */
export const mostBlocks = 10_000;

/** Null for the tags that stand for a block near the head. */
const heightOf = (block: unknown): number | null => {
  if (block === 'earliest') return 0;
  return isQuantity(block) ? Number(block) : null;
};

const faultOf = (from: number, to: number) =>
  to - from < mostBlocks ? null : `reaches over more than ${mostBlocks} blocks: ask for fewer at a time`;

/** What is wrong with how many blocks a filter reaches over; null when nothing is. */
export const rangeFault = (node: Node, filter: unknown): MaybePromise<string | null> => {
  const { fromBlock, toBlock } = isRecord(filter) ? filter : {};
  const from = heightOf(fromBlock);
  const to = heightOf(toBlock) ?? Number.POSITIVE_INFINITY;
  if (from === null || faultOf(from, to) === null) return null;
  // Nobody has to look where the head is who asks for what is new.
  const seen = Math.max(...node.figures().members.map(({ head }) => head));
  if (seen > 0 && seen - from < mostBlocks / 2) return null;
  return node.head().then((head) => faultOf(from, Math.min(to, head.number)));
};
