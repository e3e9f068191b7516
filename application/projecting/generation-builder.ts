import type { EventContext } from '../../projections/define.js';
import type { AnyProjection } from '../../projections/index.js';
import { createBloomFilter } from '../async/bloom-filter.js';
import { beginning, type Position, type Recorded } from '../ports/event-store.js';
import type { Generations, Positions } from '../ports/generations.js';
import type { Change, DocumentKey } from '../ports/read-models.js';
import { eventContextOf } from '../read-models/event-context.js';
import { CannotApply, orCannotApply, slotOf } from './fold-batch.js';

export type Sizes = {
  /** Number of changed documents per write: large enough for throughput, small enough not to block other writers. */
  readonly writtenAtOnce: number;
  /** Number of events after which the builder yields to the event loop; if absent, the builder never yields. */
  readonly pausesAfter?: number;
};
export const defaultSizes: Sizes = { writtenAtOnce: 15_000 };
/** Sizes for a process that also answers requests. */
export const backgroundSizes: Sizes = { writtenAtOnce: 2000, pausesAfter: 100 };

type Entry = DocumentKey & {
  readonly slot: string;
  document: object | null;
  isChanged: boolean;
  /** True when the store has the document, perhaps an older version of it. */
  isStored: boolean;
};
type EventAbout = { readonly event: Recorded; readonly about: EventContext };

/**
 * Creates a function that skips the events before the event that creates the first document: these events could only
 * remove documents, and no document exists yet.
 */
const createFromFirstDocument = (projection: AnyProjection, isEmpty: boolean) => {
  let hasDocuments = !isEmpty;
  const makes = ({ event, about }: EventAbout) =>
    (projection.on[event.type]?.(null, event.data, about) ?? null) !== null;
  return (events: readonly EventAbout[]) => {
    if (hasDocuments) return events;
    const first = events.findIndex(makes);
    hasDocuments = first !== -1;
    return hasDocuments ? events.slice(first) : [];
  };
};

/**
 * Creates a cache of the documents of one projection that were touched since the third-last call of `take`, because
 * later events often touch the same documents. Documents that leave the cache have been written and can be read from
 * the store.
 */
const createShelf = (projection: AnyProjection, generations: Generations, isEmpty: boolean) => {
  const [none, seen] = [new Map<string, Entry>(), isEmpty ? createBloomFilter() : null];
  let [entries, before, longBefore] = [new Map<string, Entry>(), none, none];
  let changed: Entry[] = [];

  const fresh = (scope: string, id: string, slot: string, missing: Entry[]): Entry => {
    const entry = { scope, id, slot, document: null, isChanged: false, isStored: false };
    if (!seen || seen.mayHave(slot)) missing.push(entry);
    return entry;
  };
  /**
   * Returns the document of each event, and adds to `missing` the documents that may have to be loaded from the store.
   */
  const touched = (events: readonly EventAbout[], missing: Entry[]) => {
    let last: Entry | undefined;
    const entryOf = (scope: string, id: string) => {
      // Consecutive events often touch the same document. This check then saves a lookup, which has to hash the whole
      // slot.
      if (last?.id === id && last.scope === scope) return last;
      const slot = slotOf(scope, id);
      const known = entries.get(slot);
      if (known) return known;
      const entry = before.get(slot) ?? longBefore.get(slot) ?? fresh(scope, id, slot, missing);
      entries.set(slot, entry);
      return entry;
    };
    return events.map(({ event, about }) => {
      last = entryOf(projection.scope(about), projection.key(event));
      return last;
    });
  };
  const load = async (missing: readonly Entry[]) => {
    const loaded = await generations.built.getMany<object>(projection, missing);
    for (const [i, entry] of missing.entries()) {
      entry.document = loaded[i] ?? null;
      entry.isStored = entry.document !== null;
    }
  };
  const fold = (events: readonly EventAbout[], of: readonly Entry[]) => {
    for (const [i, { event, about }] of events.entries()) {
      const entry = of[i] as Entry;
      entry.document = projection.on[event.type]?.(entry.document, event.data, about) ?? null;
      if (!entry.isChanged) changed.push(entry);
      entry.isChanged = true;
    }
  };
  const fromFirstDocument = createFromFirstDocument(projection, isEmpty);
  return {
    changed: () => changed.length,
    apply: async (all: readonly EventAbout[]) => {
      const events = orCannotApply(() => fromFirstDocument(all));
      const missing: Entry[] = [];
      const entriesOf = orCannotApply(() => touched(events, missing));
      if (missing.length > 0) await load(missing);
      orCannotApply(() => fold(events, entriesOf));
    },
    /**
     * Returns the changes to write and marks them as written. The changes returned two calls earlier must already have
     * been written, because the cache drops their documents.
     */
    take: (): Change[] => {
      const taken = changed;
      changed = [];
      [entries, before, longBefore] = [new Map(), entries, before];
      return taken.flatMap((entry) => {
        const { scope, id, slot, document, isStored } = entry;
        entry.isChanged = false;
        entry.isStored = document !== null;
        if (document === null && !isStored) return [];
        if (!isStored) seen?.add(slot);
        return [{ scope, id, collection: projection, document }];
      });
    },
  };
};

export type Builder = {
  /** Applies the next events; returns false when another builder wrote first. */
  apply(batch: readonly Recorded[]): Promise<boolean>;
  /** Writes all changes; returns false when another builder wrote first. */
  flush(): Promise<boolean>;
  /** Returns the projections that cannot apply an event, with the reason. */
  failed(): ReadonlyMap<string, string>;
};

/** Creates a builder that continues generations from their positions, in constant memory. */
export const createBuilder = (
  generations: Generations,
  projections: readonly AnyProjection[],
  from: Positions,
  { writtenAtOnce }: Sizes,
): Builder => {
  const at = (positions: Positions, { name }: AnyProjection): Position => positions[name] ?? beginning;
  const shelves = new Map(
    projections.map((one) => [one.name, createShelf(one, generations, at(from, one) === beginning)]),
  );
  const types = new Set(projections.flatMap(({ on }) => Object.keys(on)));
  const handlers = new Map(
    [...types].map((type) => [type, projections.filter(({ on }) => Object.hasOwn(on, type))] as const),
  );
  const failed = new Map<string, string>();
  const changed = () => [...shelves.values()].reduce((sum, shelf) => sum + shelf.changed(), 0);
  const moving = () => projections.filter(({ name }) => !failed.has(name));
  let [written, made] = [from, from];
  /** Write in progress. The next write, `waiting`, is prepared meanwhile, so that the store is always busy. */
  let writing: Promise<boolean> = Promise.resolve(true);
  let waiting = writing;

  const flush = async () => {
    const [start, end] = [written, made];
    if (!(await writing)) return false;
    writing = waiting;
    const moved = moving().filter((one) => at(start, one) < at(end, one));
    if (moved.length === 0) return true;
    const changes = moved.flatMap(({ name }) => shelves.get(name)?.take() ?? []);
    const pick = (positions: Positions) => Object.fromEntries(moved.map((one) => [one.name, at(positions, one)]));
    waiting = generations.build(changes, pick(start), pick(end));
    // The next flush awaits the result of this write; until then a rejection must not count as unhandled.
    waiting.catch(() => undefined);
    written = end;
    return true;
  };

  const applyTo = async (projection: AnyProjection, events: readonly EventAbout[]) => {
    try {
      await shelves.get(projection.name)?.apply(events);
    } catch (error) {
      if (!(error instanceof CannotApply)) throw error;
      failed.set(projection.name, error.message);
      shelves.delete(projection.name);
    }
  };
  const handled = (batch: readonly Recorded[]) => {
    const mine = new Map<AnyProjection, EventAbout[]>();
    const add = (projection: AnyProjection, one: EventAbout) => {
      const some = mine.get(projection);
      if (some) some.push(one);
      else mine.set(projection, [one]);
    };
    for (const event of batch) {
      const one = { event, about: eventContextOf(event) };
      for (const projection of handlers.get(event.type) ?? [])
        if (event.position > at(made, projection) && !failed.has(projection.name)) add(projection, one);
    }
    return mine;
  };
  return {
    apply: async (batch) => {
      for (const [projection, events] of handled(batch)) await applyTo(projection, events);
      const last = batch.at(-1)?.position ?? beginning;
      const reached = moving().map((one) => [one.name, Math.max(last, at(made, one))] as const);
      made = { ...made, ...Object.fromEntries(reached) };
      return changed() < writtenAtOnce || flush();
    },
    flush: async () => (await flush()) && (await writing) && waiting,
    failed: () => failed,
  };
};
