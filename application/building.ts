import type { AnyProjection } from '../projections/index.js';
import { fold, plan, type Slotted } from './folding.js';
import { beginning, type Position, type Recorded } from './ports/event-store.js';
import type { Generations, Positions } from './ports/generations.js';
import type { Change } from './ports/read-models.js';
import { createSeenFilter } from './seen-filter.js';

export type Sizes = {
  /** So many changed documents are written at once: enough to be quick, few enough for others to write between. */
  readonly writtenAtOnce: number;
  /** So many documents are kept in memory, for the events that touch them again. */
  readonly keptAtMost: number;
};
export const usualSizes: Sizes = { writtenAtOnce: 10_000, keptAtMost: 30_000 };

type Entry = {
  readonly key: Slotted;
  document: object | null;
  isChanged: boolean;
  /** There is one in the store, perhaps an older one. */
  isStored: boolean;
};

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

/** The documents of one projection that are at hand. */
const createShelf = (projection: AnyProjection, generations: Generations, isEmpty: boolean) => {
  const entries = new Map<string, Entry>();
  const seen = isEmpty ? createSeenFilter() : null;

  const keep = (key: Slotted, document: object | null) => {
    const entry = { key, document, isChanged: false, isStored: document !== null };
    entries.set(key.slot, entry);
    return entry;
  };
  const fetch = async (keys: readonly Slotted[]): Promise<readonly Entry[]> => {
    const stored = keys.filter(({ slot }) => !entries.has(slot) && (!seen || seen.mayHave(slot)));
    const loaded = stored.length > 0 ? await generations.built.getMany<object>(projection, stored) : [];
    for (const [i, key] of stored.entries()) keep(key, loaded[i] ?? null);
    return keys.map((key) => entries.get(key.slot) ?? keep(key, null));
  };
  return {
    size: () => entries.size,
    /** Gives how many more documents have changed. */
    apply: async (events: readonly Recorded[]) => {
      const planned = orCannot(() => plan(projection, events));
      const touched = await fetch(planned.keys);
      const before = touched.map(({ document }) => document);
      const after = orCannot(() => fold(planned, before));
      let changed = 0;
      for (const [i, entry] of touched.entries()) {
        if (!entry.isChanged) changed++;
        entry.document = after[i]?.document ?? null;
        entry.isChanged = true;
      }
      return changed;
    },
    /** What is to be written; from here on it counts as written. */
    take: (): Change[] => {
      const changes: Change[] = [];
      for (const entry of entries.values()) {
        if (!entry.isChanged) continue;
        entry.isChanged = false;
        const { key, document } = entry;
        if (document === null && !entry.isStored) continue;
        changes.push({ scope: key.scope, id: key.id, collection: projection, document });
        entry.isStored = document !== null;
        seen?.add(key.slot);
      }
      return changes;
    },
    /** Forgets the oldest that are written. */
    forget: (count: number) => {
      let left = count;
      for (const [slot, { isChanged }] of entries) {
        if (left <= 0) return;
        if (isChanged) continue;
        entries.delete(slot);
        left--;
      }
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
  { writtenAtOnce, keptAtMost }: Sizes,
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
  const moving = () => projections.filter(({ name }) => !failed.has(name));
  let [written, made] = [from, from];
  let changed = 0;
  /** While one part is written the next one waits, so that the writer never does. */
  let writing: Promise<boolean> = Promise.resolve(true);
  let waiting = writing;

  const flush = async () => {
    const [start, end] = [written, made];
    if (!(await writing)) return false;
    writing = waiting;
    const kept = [...shelves.values()].reduce((sum, shelf) => sum + shelf.size(), 0);
    for (const shelf of shelves.values()) shelf.forget(Math.ceil((shelf.size() * (kept - keptAtMost)) / kept));
    const moved = moving().filter((one) => at(start, one) < at(end, one));
    if (moved.length === 0) return true;
    const changes = moved.flatMap(({ name }) => shelves.get(name)?.take() ?? []);
    const pick = (positions: Positions) => Object.fromEntries(moved.map((one) => [one.name, at(positions, one)]));
    waiting = generations.build(changes, pick(start), pick(end));
    // It is asked for when another part is ready; meanwhile nobody listens.
    waiting.catch(() => undefined);
    written = end;
    changed = 0;
    return true;
  };

  const applyTo = async (projection: AnyProjection, events: readonly Recorded[]) => {
    try {
      changed += (await shelves.get(projection.name)?.apply(events)) ?? 0;
    } catch (error) {
      if (!(error instanceof CannotApply)) throw error;
      failed.set(projection.name, error.message);
    }
  };
  const handled = (batch: readonly Recorded[]) => {
    const mine = new Map<AnyProjection, Recorded[]>();
    const add = (projection: AnyProjection, event: Recorded) => {
      const some = mine.get(projection);
      if (some) some.push(event);
      else mine.set(projection, [event]);
    };
    for (const event of batch)
      for (const projection of handlers.get(event.type) ?? [])
        if (event.position > at(made, projection) && !failed.has(projection.name)) add(projection, event);
    return mine;
  };
  return {
    apply: async (batch) => {
      for (const [projection, events] of handled(batch)) await applyTo(projection, events);
      const last = batch.at(-1)?.position ?? beginning;
      const reached = moving().map((one) => [one.name, Math.max(last, at(made, one))] as const);
      made = { ...made, ...Object.fromEntries(reached) };
      return changed < writtenAtOnce || flush();
    },
    flush: async () => (await flush()) && (await writing) && waiting,
    failed: () => failed,
  };
};
