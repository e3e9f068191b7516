import type { About } from '../../projections/define.js';
import type { AnyProjection } from '../../projections/index.js';
import { beginning, type Position, type Recorded } from '../ports/event-store.js';
import type { Generations, Positions } from '../ports/generations.js';
import type { Change, DocumentKey } from '../ports/read-models.js';
import { createBloomFilter } from './bloom-filter.js';
import { aboutOf, slotOf } from './fold-batch.js';

export type Sizes = {
  /** Changed documents per write: enough to be quick, few enough for other writers to get their turn. */
  readonly writtenAtOnce: number;
  /** Events after which the builder yields to other work of the process. */
  readonly pausesAfter?: number;
};
export const usualSizes: Sizes = { writtenAtOnce: 15_000 };
/** Sizes for a process that also answers requests. */
export const sizesBesideOthers: Sizes = { writtenAtOnce: 2000, pausesAfter: 100 };

type Entry = DocumentKey & {
  readonly slot: string;
  document: object | null;
  isChanged: boolean;
  /** True when the store has the document, perhaps an older version of it. */
  isStored: boolean;
};
type EventAbout = { readonly event: Recorded; readonly about: About };

/** Failure of the projection, not of the store: its code cannot apply an event. */
class CannotApply extends Error {
  override readonly name = 'CannotApply';
}
const orCannot = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw new CannotApply(String(error));
  }
};

/** Leaves out the events before the first document: they would remove one that does not exist, and need no lookup. */
const createFromFirstDocument = (projection: AnyProjection, isEmpty: boolean) => {
  let hasDocuments = !isEmpty;
  const makes = ({ event, about }: EventAbout) =>
    (projection.on[event.type]?.(null, event.data, about) ?? null) !== null;
  return (told: readonly EventAbout[]) => {
    if (hasDocuments) return told;
    const first = told.findIndex(makes);
    hasDocuments = first !== -1;
    return hasDocuments ? told.slice(first) : [];
  };
};

/**
 * Caches the documents of one projection that were touched since the third last `take`, for events that touch them
 * again. Older ones are written by then and can be read back from the store.
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
  /** Returns the document that each event touches; those that may be in the store are added to `missing`. */
  const touched = (told: readonly EventAbout[], missing: Entry[]) => {
    let last: Entry | undefined;
    const entryOf = (scope: string, id: string) => {
      // Runs of events of one document are common, and a lookup has to hash the whole slot.
      if (last?.id === id && last.scope === scope) return last;
      const slot = slotOf(scope, id);
      const known = entries.get(slot);
      if (known) return known;
      const entry = before.get(slot) ?? longBefore.get(slot) ?? fresh(scope, id, slot, missing);
      entries.set(slot, entry);
      return entry;
    };
    return told.map(({ event, about }) => {
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
  const fold = (told: readonly EventAbout[], of: readonly Entry[]) => {
    for (const [i, { event, about }] of told.entries()) {
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
      const told = orCannot(() => fromFirstDocument(all));
      const missing: Entry[] = [];
      const entriesOf = orCannot(() => touched(told, missing));
      if (missing.length > 0) await load(missing);
      orCannot(() => fold(told, entriesOf));
    },
    /** Returns the changes to write, which count as written from here on. Those taken two calls ago must be written. */
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
  /** Applies the next events; returns false when another builder was faster. */
  apply(batch: readonly Recorded[]): Promise<boolean>;
  /** Writes all changes; returns false when another builder was faster. */
  flush(): Promise<boolean>;
  /** Returns the projections that cannot apply an event, with the reason. */
  failed(): ReadonlyMap<string, string>;
};

/** Continues to build generations from their positions, in memory that does not grow with the history. */
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
  /** One part is written while the next one waits, so that the writer is never idle. */
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
    // The result is awaited when the next part is ready; until then a failure must not count as unhandled.
    waiting.catch(() => undefined);
    written = end;
    return true;
  };

  const applyTo = async (projection: AnyProjection, told: readonly EventAbout[]) => {
    try {
      await shelves.get(projection.name)?.apply(told);
    } catch (error) {
      if (!(error instanceof CannotApply)) throw error;
      failed.set(projection.name, error.message);
      shelves.delete(projection.name);
    }
  };
  const handled = (batch: readonly Recorded[]) => {
    const mine = new Map<AnyProjection, EventAbout[]>();
    const add = (projection: AnyProjection, told: EventAbout) => {
      const some = mine.get(projection);
      if (some) some.push(told);
      else mine.set(projection, [told]);
    };
    for (const event of batch) {
      const told = { event, about: aboutOf(event) };
      for (const projection of handlers.get(event.type) ?? [])
        if (event.position > at(made, projection) && !failed.has(projection.name)) add(projection, told);
    }
    return mine;
  };
  return {
    apply: async (batch) => {
      for (const [projection, told] of handled(batch)) await applyTo(projection, told);
      const last = batch.at(-1)?.position ?? beginning;
      const reached = moving().map((one) => [one.name, Math.max(last, at(made, one))] as const);
      made = { ...made, ...Object.fromEntries(reached) };
      return changed() < writtenAtOnce || flush();
    },
    flush: async () => (await flush()) && (await writing) && waiting,
    failed: () => failed,
  };
};
