import { mapInSlices, slicesOf } from '../../async/slices.js';
import { allSettledOrThrow } from '../../async/turns/organization-queue.js';
import type { Header } from '../../ports/chain.js';
import type { Position } from '../../ports/event-store.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import { type Cursor, maxHeaders, tipOf } from '../cursor.js';

/** Header, with an event store position that is before every event about the header's block. */
type Place = { readonly header: Header; readonly position: Position };
/** Main entry of a cursor; each header after `first` has its own entry. */
type Head = Pick<Cursor, 'chain' | 'head' | 'isDevelopment' | 'since'> & {
  readonly first: Place;
  readonly tip: Header;
};
/** Format of earlier versions, in which one entry held all headers. */
type LegacyEntry = Cursor;

/** Entry of one header; `chain` distinguishes it from entries of a chain that was followed earlier. */
type Stored = Place & { readonly chain: string };
/** Progress of a follower, for other processes. */
export type Reached = Pick<Cursor, 'chain' | 'head'> & { readonly final: Header; readonly tip: Header };

const headersAtOnce = 64;

const idOf = (variant: string) => `follow:${variant}`;
/** Returns the entry id of a header. Entries form a ring buffer, so that their number is bounded. */
const slotOf = (variant: string, { number }: Pick<Header, 'number'>) => `${idOf(variant)}:${number % maxHeaders}`;
/** Returns the entry id of a parked cursor. The cursor of a chain is parked while the nodes serve another chain. */
const parkedId = (variant: string, chain: string) => `${idOf(variant)}:chain:${chain}`;

const isLegacy = (value: Head | LegacyEntry): value is LegacyEntry => 'headers' in value;

export class CursorConflict extends Error {
  override readonly name = 'CursorConflict';
}
const throwCursorConflict = (): never => {
  throw new CursorConflict('Another process moved the cursor of this chain; resuming from there.');
};

/** Reads how far a chain was followed; null for a chain that was never followed. */
export const readReached = async (state: StateStore, variant: string): Promise<Reached | null> => {
  const entry = await state.get('processes', idOf(variant));
  if (!entry) return null;
  const value = JSON.parse(entry.value) as Head | LegacyEntry;
  const { chain, head } = value;
  const [final, tip] = isLegacy(value) ? [value.headers[0] as Header, tipOf(value)] : [value.first.header, value.tip];
  return { chain, head, final, tip };
};

/** Progress of a follower, and the data that is needed to find the first block that was read after an event. */
export type Followed = Pick<Cursor, 'chain' | 'isDevelopment' | 'since'> & {
  readonly final: Header;
  readonly finalPosition: Position;
  readonly tip: Header;
};

/** Reads how far a chain was followed and since when; null for a chain that was never followed. */
export const readFollowed = async (state: StateStore, variant: string): Promise<Followed | null> => {
  const entry = await state.get('processes', idOf(variant));
  if (!entry) return null;
  const value = JSON.parse(entry.value) as Head | LegacyEntry;
  const first = isLegacy(value) ? (placesOf(value)[0] as Place) : value.first;
  const { chain, isDevelopment, since } = value;
  return {
    chain,
    final: first.header,
    finalPosition: first.position,
    tip: isLegacy(value) ? tipOf(value) : value.tip,
    ...(isDevelopment && { isDevelopment }),
    ...(since !== undefined && { since }),
  };
};

const readStored = async (
  state: StateStore,
  variant: string,
  of: { readonly chain: string; readonly number: number },
) => {
  const entry = await state.get('processes', slotOf(variant, of));
  const stored = entry && (JSON.parse(entry.value) as Stored);
  return stored?.chain === of.chain && stored.header.number === of.number ? stored : null;
};

/** Reads an event store position that is before every event about a followed block; null if the block is not stored. */
export const readPosition = async (...of: Parameters<typeof readStored>): Promise<Position | null> =>
  (await readStored(...of))?.position ?? null;

/** Reads the header of a followed block, even of a final block; null if its entry was reused for a newer block. */
export const readFollowedHeader = async (...of: Parameters<typeof readStored>): Promise<Header | null> =>
  (await readStored(...of))?.header ?? null;

/** Maps the event store positions in any entry of a cursor, after the events were migrated to another store. */
export const withPositions = (value: string, at: (position: Position) => Position): string => {
  const entry = JSON.parse(value) as Head | LegacyEntry | Stored;
  if ('headers' in entry) return JSON.stringify({ ...entry, positions: entry.positions.map(at) });
  if ('first' in entry)
    return JSON.stringify({ ...entry, first: { ...entry.first, position: at(entry.first.position) } });
  return JSON.stringify({ ...entry, position: at(entry.position) });
};

/** Creates functions that read and write the entries of single headers, and cache their revisions. */
const createSlots = (state: StateStore, variant: string) => {
  const known = new Map<string, { readonly revision: number; readonly hash: string }>();

  const readSlot = async (header: Pick<Header, 'number'>, chain: string) => {
    const id = slotOf(variant, header);
    const entry = await state.get('processes', id);
    const stored = entry && (JSON.parse(entry.value) as Stored);
    known.set(id, { revision: entry?.revision ?? noEntry, hash: stored?.chain === chain ? stored.header.hash : '' });
    return stored?.chain === chain && stored.header.number === header.number ? stored : null;
  };
  const writeSlot = async (place: Place, chain: string) => {
    const id = slotOf(variant, place.header);
    if (!known.has(id)) await readSlot(place.header, chain);
    const { revision } = known.get(id) ?? { revision: noEntry };
    const stored: Stored = { ...place, chain };
    if (!(await state.put('processes', id, JSON.stringify(stored), revision))) return throwCursorConflict();
    return void known.set(id, { revision: revision + 1, hash: place.header.hash });
  };
  const isChanged = ({ header }: Place) => known.get(slotOf(variant, header))?.hash !== header.hash;
  return {
    forget: () => known.clear(),
    /**
     * Returns the headers from `first` to `tip`; ends before the first header that is missing or not linked to its
     * parent.
     */
    read: async ({ chain, first, tip }: Head): Promise<readonly Place[]> => {
      const numbers = Array.from({ length: tip.number - first.header.number }, (_, i) => first.header.number + 1 + i);
      const found = await mapInSlices(numbers, headersAtOnce, (number) => readSlot({ number }, chain));
      const places = [first];
      for (const place of found) {
        if (place?.header.parentHash !== places.at(-1)?.header.hash) break;
        places.push(place as Place);
      }
      return places;
    },
    write: async (chain: string, places: readonly Place[]) => {
      for (const some of slicesOf(places.filter(isChanged), headersAtOnce))
        await allSettledOrThrow(some.map((place) => writeSlot(place, chain)));
    },
  };
};

const placesOf = ({ headers, positions }: Cursor): readonly Place[] =>
  headers.map((header, i) => ({ header, position: positions[i] as Position }));

/**
 * Creates the store of the cursor. Changed headers are written first and the main entry last, so that a crash in
 * between leaves the cursor unchanged: headers beyond the tip of the main entry, and unlinked headers, are ignored.
 * `save` throws `CursorConflict` when another process has moved the cursor since it was read.
 */
export const createCursorStore = (state: StateStore, variant: string) => {
  const slots = createSlots(state, variant);
  let revision = noEntry;
  let last: Cursor | null = null;

  const cursorOf = async (value: Head | LegacyEntry): Promise<Cursor> => {
    if (isLegacy(value)) return value;
    const places = await slots.read(value);
    const { first: _, tip: __, ...rest } = value;
    return { ...rest, headers: places.map((one) => one.header), positions: places.map((one) => one.position) };
  };
  const headOf = (cursor: Cursor): Head => {
    const { headers: _, positions: __, ...rest } = cursor;
    return { ...rest, first: placesOf(cursor)[0] as Place, tip: tipOf(cursor) };
  };

  return {
    read: async (): Promise<Cursor | null> => {
      slots.forget();
      const entry = await state.get('processes', idOf(variant));
      revision = entry?.revision ?? noEntry;
      last = entry && (await cursorOf(JSON.parse(entry.value)));
      return last;
    },
    save: async (cursor: Cursor) => {
      await slots.write(cursor.chain, placesOf(cursor).slice(1));
      if (!(await state.put('processes', idOf(variant), JSON.stringify(headOf(cursor)), revision)))
        throwCursorConflict();
      revision++;
      last = cursor;
    },
    /** Parks the cursor of a chain until the nodes serve that chain again. */
    park: async (cursor: Cursor) => {
      const id = parkedId(variant, cursor.chain);
      const before = await state.get('processes', id);
      if (!(await state.put('processes', id, JSON.stringify(headOf(cursor)), before?.revision ?? noEntry)))
        throwCursorConflict();
    },
    /** Returns the parked cursor of a chain; null for a new chain. */
    parked: async (chain: string): Promise<Cursor | null> => {
      const entry = await state.get('processes', parkedId(variant, chain));
      return entry && cursorOf(JSON.parse(entry.value));
    },
    /** Returns the cursor that was read or saved last. */
    last: () => last,
  };
};
export type CursorStore = ReturnType<typeof createCursorStore>;
