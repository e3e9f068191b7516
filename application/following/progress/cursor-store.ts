import { allDone } from '../../async/organization-queue.js';
import { mapInSlices, slicesOf } from '../../async/slices.js';
import type { Header } from '../../ports/chain.js';
import type { Position } from '../../ports/event-store.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import { type Cursor, maxHeaders, tipOf } from '../cursor.js';

/** Header with the event store position before every event about its block. */
type Place = { readonly header: Header; readonly position: Position };
/** Small entry that moves the cursor; the headers after `first` have entries of their own. */
type Head = Pick<Cursor, 'chain' | 'head' | 'isDevelopment'> & { readonly first: Place; readonly tip: Header };
/** Form of earlier versions, in which one entry held all headers. */
type Whole = Cursor;

/** Entry of one header; `chain` tells it from those of a chain that was followed before. */
type Stored = Place & { readonly chain: string };
/** Progress of a follower that other processes look at. */
export type Reached = Pick<Cursor, 'chain' | 'head'> & { readonly final: Header; readonly tip: Header };

const headersAtOnce = 64;

const idOf = (variant: string) => `follow:${variant}`;
/** Entries are reused in a circle, so that their number is bounded and none is ever destroyed. */
const slotOf = (variant: string, { number }: Pick<Header, 'number'>) => `${idOf(variant)}:${number % maxHeaders}`;
/** Cursor of a chain that is not followed now, because the nodes serve another one. */
const parkedId = (variant: string, chain: string) => `${idOf(variant)}:chain:${chain}`;

const isWhole = (value: Head | Whole): value is Whole => 'headers' in value;

export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}
const overtaken = (): never => {
  throw new Overtaken('another process moved the cursor of this chain; resuming from there');
};

/** Reads how far a chain was followed; null before the first time. */
export const readReached = async (state: StateStore, variant: string): Promise<Reached | null> => {
  const entry = await state.get('processes', idOf(variant));
  if (!entry) return null;
  const value = JSON.parse(entry.value) as Head | Whole;
  const { chain, head } = value;
  const [final, tip] = isWhole(value) ? [value.headers[0] as Header, tipOf(value)] : [value.first.header, value.tip];
  return { chain, head, final, tip };
};

/** Replaces the positions in an entry of a cursor, whatever its form. */
export const withPositions = (value: string, at: (position: Position) => Position): string => {
  const entry = JSON.parse(value) as Head | Whole | Stored;
  if ('headers' in entry) return JSON.stringify({ ...entry, positions: entry.positions.map(at) });
  if ('first' in entry)
    return JSON.stringify({ ...entry, first: { ...entry.first, position: at(entry.first.position) } });
  return JSON.stringify({ ...entry, position: at(entry.position) });
};

/** Keeps the entries of single headers and their revisions. */
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
    if (!(await state.put('processes', id, JSON.stringify(stored), revision))) return overtaken();
    return void known.set(id, { revision: revision + 1, hash: place.header.hash });
  };
  const isChanged = ({ header }: Place) => known.get(slotOf(variant, header))?.hash !== header.hash;
  return {
    forget: () => known.clear(),
    /** Returns the headers after `first` up to `tip`, as far as they are stored and link up. */
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
        await allDone(some.map((place) => writeSlot(place, chain)));
    },
  };
};

const placesOf = ({ headers, positions }: Cursor): readonly Place[] =>
  headers.map((header, i) => ({ header, position: positions[i] as Position }));

/**
 * Stores the cursor. Changed headers are written first and the small entry last, so that a crash in between leaves the
 * cursor where it was: headers beyond the entry's tip, or that do not link up, do not count. `save` throws `Overtaken`
 * when another process has moved the cursor since it was read.
 */
export const createCursorStore = (state: StateStore, variant: string) => {
  const slots = createSlots(state, variant);
  let revision = noEntry;
  let last: Cursor | null = null;

  const wholeOf = async (value: Head | Whole): Promise<Cursor> => {
    if (isWhole(value)) return value;
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
      last = entry && (await wholeOf(JSON.parse(entry.value)));
      return last;
    },
    save: async (cursor: Cursor) => {
      await slots.write(cursor.chain, placesOf(cursor).slice(1));
      if (!(await state.put('processes', idOf(variant), JSON.stringify(headOf(cursor)), revision))) overtaken();
      revision++;
      last = cursor;
    },
    /** Puts the cursor of a chain by, for the time when the nodes serve that chain again. */
    park: async (cursor: Cursor) => {
      const id = parkedId(variant, cursor.chain);
      const before = await state.get('processes', id);
      if (!(await state.put('processes', id, JSON.stringify(headOf(cursor)), before?.revision ?? noEntry))) overtaken();
    },
    /** Returns the cursor that a chain had when it was put by; null for a chain that is new. */
    parked: async (chain: string): Promise<Cursor | null> => {
      const entry = await state.get('processes', parkedId(variant, chain));
      return entry && wholeOf(JSON.parse(entry.value));
    },
    /** Returns the cursor that was read or saved last. */
    last: () => last,
  };
};
export type CursorStore = ReturnType<typeof createCursorStore>;
