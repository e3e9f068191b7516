import { Failure } from '../../domain/failure.js';
import type { AnyProjection } from '../../projections/index.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import { type Generation, maxHoldMs, NothingBuilt, type RebuildableReadModels } from '../ports/generations.js';
import type { System } from '../ports/system.js';
import { type Comparison, compareGenerations } from './compare-generations.js';
import { headBehind } from './foreign.js';
import { type Builder, backgroundSizes, createBuilder, defaultSizes, type Sizes } from './generation-builder.js';

/** Pause in milliseconds of a builder after another builder wrote first, before the builder reads the new positions. */
const overtakenMs = 500;
const waitMs = 20;
/** Interval in milliseconds of the check for outdated projections and retired generations. */
const pollIntervalMs = 60_000;

export type RebuildProgress = {
  readonly phase: 'building' | 'indexing' | 'comparing' | 'swapping';
  readonly position: Position;
  readonly head: Position;
  /** Number of events applied by this run. */
  readonly events: number;
  /**
   * Number of read models that were indexed or compared so far (`done`), and number of all read models (`total`);
   * absent in phases that are measured in events.
   */
  readonly readModels?: { readonly done: number; readonly total: number };
};
export type Rebuilt = {
  readonly outcome: 'swapped' | 'interrupted' | 'different' | 'failed';
  readonly names: readonly string[];
  readonly events: number;
  readonly comparisons: readonly Comparison[];
  /** Reasons why projections cannot apply an event, by the name of the projection. */
  readonly failures: Readonly<Record<string, string>>;
};
type RebuildOptions = {
  readonly signal: AbortSignal;
  readonly report: (progress: RebuildProgress) => void;
  /** True to swap only if all documents equal the live documents. */
  readonly compare?: boolean;
};

export type Rebuild = {
  /**
   * Builds a new generation of each projection beside the live generation, or resumes an unfinished build, and swaps
   * all of them at once. Concurrent runs slow each other down but are harmless.
   */
  run(wanted: readonly AnyProjection[], options: RebuildOptions): Promise<Rebuilt>;
  /** Discards what an interrupted rebuild of the projections has built so far. The documents that readers use stay. */
  abandon(wanted: readonly AnyProjection[]): Promise<void>;
  /**
   * Rebuilds outdated projections and removes retired generations until the signal fires. A projection is outdated when
   * its version was raised, or when the read models were built from events that the store does not have.
   */
  runOutdated(signal: AbortSignal): Promise<void>;
};

type Ports = {
  readonly events: EventStore;
  readonly readModels: RebuildableReadModels;
  readonly system: System;
  readonly projections: readonly AnyProjection[];
  readonly sizes?: Sizes;
};

const find = (all: readonly Generation[], name: string, state: Generation['state']) =>
  all.find((one) => one.collection === name && one.state === state);

/** Creates functions that begin the generations of one rebuild and list those that are unfinished. */
const createBegun = ({ events, readModels: { generations } }: Ports, wanted: readonly AnyProjection[]) => {
  const numbers = new Map<string, number>();
  return {
    /**
     * Begins the generations. A generation ahead of the last event was built before a backup was restored, and starts
     * over.
     */
    begin: async () => {
      await generations.begin(wanted);
      const head = await events.head();
      const ahead = (await generations.listGenerations()).filter(
        ({ state, position }) => state === 'building' && position > head,
      );
      const foreign = wanted.filter(({ name }) => ahead.some(({ collection }) => collection === name));
      if (foreign.length > 0) {
        await generations.abandon(foreign);
        await generations.begin(foreign);
      }
      const all = await generations.listGenerations();
      for (const { name } of wanted) numbers.set(name, find(all, name, 'building')?.number ?? 0);
    },
    /**
     * Returns the projections that are still being built, with their positions: another process may have swapped some
     * generations meanwhile. Rejects if another process removed an unfinished generation.
     */
    unfinished: async () => {
      const all = await generations.listGenerations();
      const left = wanted.filter(({ name }) => {
        const number = numbers.get(name);
        if (find(all, name, 'live')?.number === number) return false;
        if (find(all, name, 'building')?.number === number) return true;
        throw new Failure('CONFLICT', `Another process removed the unfinished generation of ${name}. Rebuild again.`);
      });
      const positions = left.map(({ name }) => [name, find(all, name, 'building')?.position ?? beginning] as const);
      return { left, positions: Object.fromEntries(positions) };
    },
  };
};

/**
 * Creates functions that bring the generations being built up to the last event, or stop when the signal fires.
 */
const createCatchUp = (ports: Ports, begun: ReturnType<typeof createBegun>, { signal, report }: RebuildOptions) => {
  const { events, readModels, system, sizes = defaultSizes } = ports;
  const failures = new Map<string, string>();
  let applied = 0;

  const applyBatch = async (builder: Builder, batch: readonly Recorded[]) => {
    const { pausesAfter = batch.length } = sizes;
    for (let done = 0; done < batch.length; done += pausesAfter) {
      if (done > 0) await system.sleep(0);
      if (!(await builder.apply(batch.slice(done, done + pausesAfter)))) return false;
    }
    return true;
  };
  const applyAll = async (builder: Builder, from: Position, phase: RebuildProgress['phase']) => {
    const head = await events.head();
    for await (const batch of events.readAll(from)) {
      if (signal.aborted) break;
      if (!(await applyBatch(builder, batch))) return false;
      applied += batch.length;
      const position = batch.at(-1)?.position ?? from;
      report({ phase, position, head: Math.max(head, position), events: applied });
    }
    return builder.flush();
  };
  /** Returns the projections that reached the head; null when another process wrote first. */
  const once = async (phase: RebuildProgress['phase']) => {
    const { left, positions } = await begun.unfinished();
    const fit = left.filter(({ name }) => !failures.has(name));
    if (fit.length === 0) return fit;
    const builder = createBuilder(readModels.generations, fit, positions, sizes);
    try {
      const isDone = await applyAll(builder, Math.min(...fit.map(({ name }) => positions[name] ?? beginning)), phase);
      for (const [name, reason] of builder.failed()) failures.set(name, reason);
      return isDone ? fit.filter(({ name }) => !failures.has(name)) : null;
    } catch (error) {
      if (error instanceof NothingBuilt) return null;
      throw error;
    }
  };
  return {
    applied: () => applied,
    failures: (): Rebuilt['failures'] => Object.fromEntries(failures),
    /** Returns the projections whose generations have reached the head. */
    run: async (phase: RebuildProgress['phase']): Promise<readonly AnyProjection[]> => {
      for (;;) {
        const done = await once(phase);
        if (done || signal.aborted) return done ?? [];
        await system.sleep(overtakenMs, signal);
      }
    },
  };
};

/** Creates a function that performs one rebuild. */
const createRun = (ports: Ports, wanted: readonly AnyProjection[], options: RebuildOptions) => {
  const { events, readModels, system } = ports;
  const { generations } = readModels;
  const { signal, report } = options;
  const begun = createBegun(ports, wanted);
  const catchUp = createCatchUp(ports, begun, options);

  /**
   * Waits until the live documents have reached the position of the built documents, then brings the built documents up
   * to the last event.
   */
  const follow = async () => {
    const built = await catchUp.run('comparing');
    const { positions } = await begun.unfinished();
    const isBehind = async () => {
      const live = (await readModels.checkpoint()).positions;
      return built.some(({ name }) => (live[name] ?? beginning) < (positions[name] ?? beginning));
    };
    while (!signal.aborted && (await isBehind())) await system.sleep(waitMs);
    return catchUp.run('comparing');
  };
  /** Does work for each projection in turn, and reports how many projections are done. Stops when the signal fires. */
  const inTurn = async (
    phase: RebuildProgress['phase'],
    all: readonly AnyProjection[],
    work: (projection: AnyProjection) => Promise<void>,
  ) => {
    const head = await events.head();
    for (const [done, projection] of all.entries()) {
      if (signal.aborted) return;
      const readModelCounts = { done, total: all.length };
      report({ phase, position: head, head, events: catchUp.applied(), readModels: readModelCounts });
      await work(projection);
    }
  };
  const compare = async () => {
    const found: Comparison[] = [];
    const comparing = { readModels, generations, sha256: system.sha256 };
    await inTurn('comparing', await follow(), async (projection) => {
      found.push(await compareGenerations(comparing, projection, follow));
    });
    return found;
  };
  const swap = async () => {
    for (let next = await catchUp.run('swapping'); next.length > 0; next = await catchUp.run('swapping')) {
      if (signal.aborted || (await generations.swap(next, (await headBehind(ports)) ?? undefined))) return;
      await generations.hold(maxHoldMs);
    }
  };
  const outcomeOf = (comparisons: readonly Comparison[]): Rebuilt['outcome'] => {
    if (signal.aborted) return 'interrupted';
    if (comparisons.some(({ equal }) => !equal)) return 'different';
    return Object.keys(catchUp.failures()).length > 0 ? 'failed' : 'swapped';
  };
  return async (): Promise<Rebuilt> => {
    await begun.begin();
    const built = await catchUp.run('building');
    await inTurn('indexing', built, (projection) => generations.makeReady([projection]));
    const comparisons = options.compare && !signal.aborted ? await compare() : [];
    if (comparisons.every(({ equal }) => equal)) await swap();
    const outcome = outcomeOf(comparisons);
    if (outcome === 'swapped' || outcome === 'failed') await generations.removeRetired();
    const names = wanted.map(({ name }) => name);
    return { outcome, names, events: catchUp.applied(), comparisons, failures: catchUp.failures() };
  };
};

export const createRebuild = (ports: Ports): Rebuild => {
  const { readModels, system, projections } = ports;
  const { generations } = readModels;
  const run: Rebuild['run'] = (wanted, options) => createRun(ports, wanted, options)();

  /**
   * Returns the projections whose version was raised, or all projections when the read models were built from events
   * that the store does not have.
   */
  const outdated = async () => {
    if ((await headBehind(ports)) !== null) return projections;
    const all = await generations.listGenerations();
    const live = new Map(all.flatMap((one) => (one.state === 'live' ? [[one.collection, one.version]] : [])));
    return projections.filter(({ name, version }) => version > (live.get(name) ?? version));
  };
  const rebuildOutdated = async (signal: AbortSignal) => {
    const wanted = await outdated();
    if (wanted.length === 0) return;
    const names = wanted.map(({ name }) => name);
    system.log.info({ projections: names }, 'Projections are outdated; rebuilding them while the old ones stay in use');
    const rebuildInBackground = createRun({ sizes: backgroundSizes, ...ports }, wanted, {
      signal,
      report: () => undefined,
    });
    const { outcome, events, failures } = await rebuildInBackground();
    if (outcome === 'failed')
      system.log.error({ failures }, 'Projections could not be rebuilt; the old ones stay in use');
    else if (outcome === 'swapped')
      system.log.info({ projections: names, events }, 'Outdated projections were rebuilt; the new ones are in use');
    else
      system.log.info(
        { projections: names, events },
        'Rebuild of outdated projections was interrupted; it resumes later',
      );
  };
  return {
    run,
    abandon: (wanted) => generations.abandon(wanted),
    runOutdated: async (signal) => {
      while (!signal.aborted) {
        await generations.removeRetired();
        await rebuildOutdated(signal);
        await system.sleep(pollIntervalMs, signal);
      }
    },
  };
};
