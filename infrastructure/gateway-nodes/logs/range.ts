import type { RpcCall } from '../../../application/ports/node.js';
import { isQuantity, isRecord } from '../../../domain/rpc-value.js';

/** Blocks that a question for logs covers; `end` is the last block as the caller named it, where that is no number. */
export type LogRange = { readonly from: number; readonly to: number; readonly end?: unknown };

export const widthOf = ({ from, to }: LogRange): number => to - from + 1;

const numberOf = (block: unknown): number | null => {
  if (block === 'earliest') return 0;
  return isQuantity(block) ? Number(block) : null;
};

/** Tags of blocks that move, at which a range may end. */
const moving = ['latest', 'safe', 'finalized'] as const;
export type MovingTag = (typeof moving)[number];

/** Returns the blocks that logs are asked of; null where the question names no range of several that can be parted. */
export const rangeOf = async (
  { method, params: [filter] }: RpcCall,
  heightOf: (tag: MovingTag) => Promise<number | null>,
): Promise<LogRange | null> => {
  if (method !== 'eth_getLogs' || !isRecord(filter) || filter.blockHash != null) return null;
  const { fromBlock, toBlock } = filter;
  const from = numberOf(fromBlock);
  const tag = moving.find((one) => one === (toBlock ?? 'latest'));
  const to = tag ? await heightOf(tag) : numberOf(toBlock);
  if (from === null || to === null || from >= to) return null;
  // Another node may name an older block by the other tags, so pieces name the block by its number.
  return tag === 'latest' ? { from, to, end: toBlock } : { from, to };
};

/** Parts a range behind a block, or in the middle; the second half keeps the end as the caller named it. */
export const partedAt = (range: LogRange, last = Math.floor((range.from + range.to) / 2)): readonly LogRange[] => [
  { from: range.from, to: last },
  { ...range, from: last + 1 },
];

/** Parts a range into pieces of about the same width, none wider than `widest`. */
export const partedBy = (range: LogRange, widest: number): readonly LogRange[] => {
  const count = Math.ceil(widthOf(range) / widest);
  const startOf = (place: number) => range.from + Math.floor((widthOf(range) * place) / count);
  return Array.from({ length: count }, (_, place) =>
    place === count - 1 ? { ...range, from: startOf(place) } : { from: startOf(place), to: startOf(place + 1) - 1 },
  );
};

const hex = (height: number) => `0x${height.toString(16)}`;

/** Asks for a piece of what a call asks for. */
export const callFor = ({ bundle: _, ...call }: RpcCall, range: LogRange): RpcCall => ({
  ...call,
  params: [
    {
      ...(call.params[0] as object),
      fromBlock: hex(range.from),
      toBlock: 'end' in range ? (range.end ?? 'latest') : hex(range.to),
    },
  ],
});
