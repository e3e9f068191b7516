import type { About } from '../../projections/define.js';
import type { AnyProjection } from '../../projections/index.js';
import { beginning, type Position, type Recorded } from '../ports/event-store.js';
import type { Generations, Positions } from '../ports/generations.js';
import type { Change, DocumentKey } from '../ports/read-models.js';
import { createSeenFilter } from './bloom-filter.js';
import { aboutOf, slotOf } from './fold-batch.js';

export type Sizes = {
  /** So many changed documents are written at once: enough to be quick, few enough for others to write between. */
  readonly writtenAtOnce: number;
  /** After so many events there is a pause for whatever else the process does. */
  readonly pausesAfter?: number;
};
export const usualSizes: Sizes = { writtenAtOnce: 15_000 };
/** In a process that has others to answer meanwhile. */
export const sizesBesideOthers: Sizes = { writtenAtOnce: 2000, pausesAfter: 100 };

type Entry = DocumentKey & {
  readonly slot: string;
  document: object | null;
  isChanged: boolean;
  /** There is one in the store, perhaps an older one. */
  isStored: boolean;
};
type Told = { readonly event: Recorded; readonly about: About };

/** Not the store's fault: the projection does not understand what happened. */
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

/**
 * The documents of one projection that are at hand for the events that touch them again: those touched since they were
 * taken last, and those touched before the two times before that. By then they are written, and can be read back.
 */
const createShelf = (projection: AnyProjection, generations: Generations, isEmpty: boolean) => {
  const [none, seen] = [new Map<string, Entry>(), isEmpty ? createSeenFilter() : null];
  let [entries, before, longBefore] = [new Map<string, Entry>(), none, none];
  let changed: Entry[] = [];

  const fresh = (scope: string, id: string, slot: string, missing: Entry[]): Entry => {
    const entry = { scope, id, slot, document: null, isChanged: false, isStored: false };
    if (!seen || seen.mayHave(slot)) missing.push(entry);
    return entry;
  };
  /** Which documents are touched, by one event after the other; what may be in the store is added to the missing. */
  const touched = (told: readonly Told[], missing: Entry[]) =>
    told.map(({ event, about }) => {
      const [scope, id] = [projection.scope(about), projection.key(event)];
      const slot = slotOf(scope, id);
      const known = entries.get(slot);
      if (known) return known;
      const entry = before.get(slot) ?? longBefore.get(slot) ?? fresh(scope, id, slot, missing);
      entries.set(slot, entry);
      return entry;
    });
  const load = async (missing: readonly Entry[]) => {
    const loaded = await generations.built.getMany<object>(projection, missing);
    for (const [i, entry] of missing.entries()) {
      entry.document = loaded[i] ?? null;
      entry.isStored = entry.document !== null;
    }
  };
  const fold = (told: readonly Told[], of: readonly Entry[]) => {
    for (const [i, { event, about }] of told.entries()) {
      const entry = of[i] as Entry;
      entry.document = projection.on[event.type]?.(entry.document, event.data, about) ?? null;
      if (!entry.isChanged) changed.push(entry);
      entry.isChanged = true;
    }
  };
  return {
    changed: () => changed.length,
    apply: async (told: readonly Told[]) => {
      const missing: Entry[] = [];
      const entriesOf = orCannot(() => touched(told, missing));
      if (missing.length > 0) await load(missing);
      orCannot(() => fold(told, entriesOf));
    },
    /** What is to be written; from here on it counts as written. What was taken two times before must be. */
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
  /** Makes documents of events that follow those before; false when another builder was faster. */
  apply(batch: readonly Recorded[]): Promise<boolean>;
  /** Writes what is made; false when another builder was faster. */
  flush(): Promise<boolean>;
  /** Projections that cannot apply an event, and why. */
  failed(): ReadonlyMap<string, string>;
};

/** Builds the begun generations of projections from where they are, in memory that does not grow with the history. */
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
  /** While one part is written the next one waits, so that the writer never does. */
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
    // It is asked for when another part is ready; meanwhile nobody listens.
    waiting.catch(() => undefined);
    written = end;
    return true;
  };

  const applyTo = async (projection: AnyProjection, told: readonly Told[]) => {
    try {
      await shelves.get(projection.name)?.apply(told);
    } catch (error) {
      if (!(error instanceof CannotApply)) throw error;
      failed.set(projection.name, error.message);
      shelves.delete(projection.name);
    }
  };
  const handled = (batch: readonly Recorded[]) => {
    const mine = new Map<AnyProjection, Told[]>();
    const add = (projection: AnyProjection, told: Told) => {
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
