import { mapInSlices } from '../async/slices.js';
import type { Chain, Header } from '../ports/chain.js';
import type { Position } from '../ports/event-store.js';
import { BrokenPath } from './reorg-path.js';

/** Progress of a follower on a chain. */
export type Cursor = {
  /** Hash of the chain's first block. */
  readonly chain: string;
  /** Headers of the newest processed blocks, each the parent of the next; the first is final. */
  readonly headers: readonly Header[];
  /**
   * Event store positions, one for each header. Each position is before every event about the header's block.
   */
  readonly positions: readonly Position[];
  /** Head of the chain when the cursor last moved. */
  readonly head: Header;
  /** Height at which following began: earlier blocks were not read. Absent in cursors of earlier releases. */
  readonly since?: number;
  /** True for a development chain, which may be replaced by any other chain. */
  readonly isDevelopment?: boolean;
};

/**
 * Maximum number of headers in a cursor: about half an hour of blocks on a chain with five blocks per second.
 */
export const maxHeaders = 8192;
/**
 * Maximum number of headers left in a cursor after `finalizedAt` dropped old headers. The limit leaves room for the
 * blocks of the next cycles.
 */
const keptHeaders = maxHeaders - 1024;
const askedAtOnce = 32;

export const tipOf = ({ headers }: Cursor) => headers.at(-1) as Header;
export const isBehind = (cursor: Cursor) => tipOf(cursor).number < cursor.head.number;

/** Returns the first cursor on a chain, at `head`; earlier blocks are not read. Requests headers in slices. */
export const beginAt = async (chain: Chain, genesis: Header, head: Header, position: Position): Promise<Cursor> => {
  const final = Math.max(Math.min(head.number, await chain.finalized()), head.number - keptHeaders + 1);
  const numbers = Array.from({ length: head.number - final }, (_, i) => final + i);
  const found = await mapInSlices(numbers, askedAtOnce, (number) => chain.headerAt(number));
  if (found.includes(null)) throw new BrokenPath(`The nodes lack a block between ${final} and ${head.number}.`);
  const headers = [...(found as Header[]), head];
  return { chain: genesis.hash, headers, positions: headers.map(() => position), head, since: head.number };
};

export const withBlock = (cursor: Cursor, block: Header, position: Position): Cursor => {
  const { number, hash, parentHash, time } = block;
  const header = { number, hash, parentHash, time };
  return { ...cursor, headers: [...cursor.headers, header], positions: [...cursor.positions, position] };
};
const between = (cursor: Cursor, from: number, to: number): Cursor => ({
  ...cursor,
  headers: cursor.headers.slice(from, to),
  positions: cursor.positions.slice(from, to),
});
export const withoutNewest = (cursor: Cursor, count: number) => between(cursor, 0, cursor.headers.length - count);
/**
 * Drops the headers of final blocks (up to `height`) except the newest final header, and the oldest headers beyond
 * `keptHeaders`.
 */
export const finalizedAt = (cursor: Cursor, height: number) => {
  const final = Math.max(height, tipOf(cursor).number - keptHeaders + 1);
  const last = cursor.headers.findLastIndex(({ number }) => number <= final);
  return last > 0 ? between(cursor, last, cursor.headers.length) : cursor;
};
/** Returns the number of blocks that can be added to the cursor before `finalizedAt` has to drop headers. */
export const roomIn = ({ headers }: Cursor) => maxHeaders - headers.length;
