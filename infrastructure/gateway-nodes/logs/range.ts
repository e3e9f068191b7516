import type { RpcCall } from '../../../application/ports/node.js';
import { isQuantity, isRecord } from '../../../domain/rpc-value.js';

/**
 * Range of blocks of a request for logs, inclusive. `end` is the caller's `toBlock` if it is `latest` or missing, and
 * absent for any other `toBlock`.
 */
export type LogRange = { readonly from: number; readonly to: number; readonly end?: unknown };

export const widthOf = ({ from, to }: LogRange): number => to - from + 1;

const numberOf = (block: unknown): number | null => {
  if (block === 'earliest') return 0;
  return isQuantity(block) ? Number(block) : null;
};

/** Tags of blocks with a changing height, at which a range may end. */
const moving = ['latest', 'safe', 'finalized'] as const;
export type MovingTag = (typeof moving)[number];

/** Returns the range of blocks of a request for logs; null when it has no range of several blocks that can be split. */
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
  // Nodes may resolve `safe` and `finalized` to different blocks, so the pieces use the block's number instead of these
  // tags.
  return tag === 'latest' ? { from, to, end: toBlock } : { from, to };
};

/** Splits a range after a block, by default in the middle. The second part keeps `end`, the caller's `toBlock`. */
export const splitAt = (range: LogRange, last = Math.floor((range.from + range.to) / 2)): readonly LogRange[] => [
  { from: range.from, to: last },
  { ...range, from: last + 1 },
];

/** Splits a range into pieces of about the same width, at most `widest` blocks each. */
export const splitBy = (range: LogRange, widest: number): readonly LogRange[] => {
  const count = Math.ceil(widthOf(range) / widest);
  const startOf = (place: number) => range.from + Math.floor((widthOf(range) * place) / count);
  return Array.from({ length: count }, (_, place) =>
    place === count - 1 ? { ...range, from: startOf(place) } : { from: startOf(place), to: startOf(place + 1) - 1 },
  );
};

const hex = (height: number) => `0x${height.toString(16)}`;

/** Builds the call for a part of the range. Omits the bundle, so that the pieces are not sent as a batch. */
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
