import type { Chain, Header } from '../ports/chain.js';
import type { Position } from '../ports/event-store.js';
import { noEntry, type StateStore } from '../ports/state.js';
import { BrokenPath } from './reorg-path.js';

/** Where a follower stands on a chain. */
export type Cursor = {
  /** The hash of the chain's first block. */
  readonly chain: string;
  /** Linked, of which the first is final. */
  readonly headers: readonly Header[];
  /** For each header a position before every event about its block. */
  readonly positions: readonly Position[];
  /** The head that it was on its way to. */
  readonly head: Header;
};

export const tipOf = ({ headers }: Cursor) => headers.at(-1) as Header;
export const isBehind = (cursor: Cursor) => tipOf(cursor).number < cursor.head.number;

/** How long ago the block was made that it has come to, when there are later ones. */
export const lagOf = (cursor: Cursor, now: number) =>
  isBehind(cursor) ? Math.max(0, now / 1000 - tipOf(cursor).time) : 0;

/** Where to begin on a chain that was never followed. Its blocks so far concern nobody. */
export const beginAt = async (chain: Chain, genesis: Header, head: Header, position: Position): Promise<Cursor> => {
  const final = Math.min(head.number, await chain.finalized());
  const numbers = Array.from({ length: head.number - final }, (_, i) => final + i);
  const found = await Promise.all(numbers.map((number) => chain.headerAt(number)));
  if (found.includes(null)) throw new BrokenPath('the nodes do not know every block that may still be replaced');
  const headers = [...(found as Header[]), head];
  return { chain: genesis.hash, headers, positions: headers.map(() => position), head };
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
/** What can no longer be replaced need not be kept, but for the last of it. */
export const finalizedAt = (cursor: Cursor, height: number) => {
  const last = cursor.headers.findLastIndex(({ number }) => number <= height);
  return last > 0 ? between(cursor, last, cursor.headers.length) : cursor;
};

const idOf = (variant: string) => `follow:${variant}`;

export const readCursor = async (state: StateStore, variant: string) => {
  const entry = await state.get('processes', idOf(variant));
  return entry
    ? { cursor: JSON.parse(entry.value) as Cursor, revision: entry.revision }
    : { cursor: null, revision: noEntry };
};

/** Another process moved the cursor. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** A follower's place, written down; fails when another process has moved it since it was read. */
export const createCursorStore = (state: StateStore, variant: string) => {
  let revision = noEntry;
  let last: Cursor | null = null;
  return {
    read: async () => {
      const stored = await readCursor(state, variant);
      revision = stored.revision;
      last = stored.cursor;
      return stored.cursor;
    },
    save: async (cursor: Cursor) => {
      if (!(await state.put('processes', idOf(variant), JSON.stringify(cursor), revision)))
        throw new Overtaken('another process follows this chain too; going on from where it is');
      revision++;
      last = cursor;
    },
    /** As it was read or saved last. */
    last: () => last,
  };
};
