import { Failure } from '../../domain/failure.js';
import type { AnyProjection } from '../../projections/index.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import { type Generation, longestHoldMs, NothingBuilt, type RebuildableReadModels } from '../ports/generations.js';
import type { System } from '../ports/system.js';
import { type Comparison, compareGenerations } from './compare-generations.js';
import { type Builder, createBuilder, type Sizes, sizesBesideOthers, usualSizes } from './generation-builder.js';

/** How long a builder that another was faster than lets it work, before it looks how far that one is. */
const overtakenMs = 500;
const waitMs = 20;
/** How often a server looks for what is to be rebuilt, and for what can be removed. */
const lookEveryMs = 60_000;

export type RebuildProgress = {
  readonly phase: 'building' | 'indexing' | 'comparing' | 'swapping';
  readonly position: Position;
  readonly head: Position;
  /** Since it was begun, or gone on with. */
  readonly events: number;
};
export type Rebuilt = {
  readonly outcome: 'swapped' | 'interrupted' | 'different' | 'failed';
  readonly names: readonly string[];
  readonly events: number;
  readonly comparisons: readonly Comparison[];
  /** Projections that cannot apply an event, and why. */
  readonly failures: Readonly<Record<string, string>>;
};
type RebuildOptions = {
  readonly signal: AbortSignal;
  readonly tell: (progress: RebuildProgress) => void;
  /** Only swaps what is the same. */
  readonly compare?: boolean;
};

export type Rebuild = {
  /**
   * Builds a new generation of each beside the live one, goes on with one that was begun, and swaps them all at once.
   * Several may do so at the same time: they get in each other's way, but do no harm.
   */
  run(wanted: readonly AnyProjection[], options: RebuildOptions): Promise<Rebuilt>;
  /** Removes what was begun; the live ones stay. */
  abandon(wanted: readonly AnyProjection[]): Promise<void>;
  /** Until the signal: rebuilds those whose version was raised, and removes what was replaced. */
  runRaised(signal: AbortSignal): Promise<void>;
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

/** What one rebuild has begun. */
const createBegun = ({ events, readModels: { generations } }: Ports, wanted: readonly AnyProjection[]) => {
  const numbers = new Map<string, number>();
  return {
    /** What is built further than the events was built of others, perhaps before a backup was restored. */
    begin: async () => {
      await generations.begin(wanted);
      const head = await events.head();
      const ahead = (await generations.all()).filter(({ state, position }) => state === 'building' && position > head);
      const foreign = wanted.filter(({ name }) => ahead.some(({ collection }) => collection === name));
      if (foreign.length > 0) {
        await generations.abandon(foreign);
        await generations.begin(foreign);
      }
      const all = await generations.all();
      for (const { name } of wanted) numbers.set(name, find(all, name, 'building')?.number ?? 0);
    },
    /** Those that are still built; another process may have swapped them meanwhile, or removed them. */
    unfinished: async () => {
      const all = await generations.all();
      const left = wanted.filter(({ name }) => {
        const number = numbers.get(name);
        if (find(all, name, 'live')?.number === number) return false;
        if (find(all, name, 'building')?.number === number) return true;
        throw new Failure('CONFLICT', `what was built of ${name} was removed by another process`);
      });
      const positions = left.map(({ name }) => [name, find(all, name, 'building')?.position ?? beginning] as const);
      return { left, positions: Object.fromEntries(positions) };
    },
  };
};

/** Brings what is built to where the events are, until the signal. */
const createCatchUp = (ports: Ports, begun: ReturnType<typeof createBegun>, { signal, tell }: RebuildOptions) => {
  const { events, readModels, system, sizes = usualSizes } = ports;
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
      tell({ phase, position, head: Math.max(head, position), events: applied });
    }
    return builder.flush();
  };
  /** Null when another process was faster. */
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
    /** Gives those that are there. */
    run: async (phase: RebuildProgress['phase']): Promise<readonly AnyProjection[]> => {
      for (;;) {
        const done = await once(phase);
        if (done || signal.aborted) return done ?? [];
        await system.sleep(overtakenMs, signal);
      }
    },
  };
};

/** One rebuild under way. */
const createRun = (ports: Ports, wanted: readonly AnyProjection[], options: RebuildOptions) => {
  const { events, readModels, system } = ports;
  const { generations } = readModels;
  const { signal, tell } = options;
  const begun = createBegun(ports, wanted);
  const catchUp = createCatchUp(ports, begun, options);

  /** The live ones must have come as far as what is built. */
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
  const compare = async () => {
    const found: Comparison[] = [];
    for (const projection of await follow())
      if (!signal.aborted)
        found.push(await compareGenerations({ readModels, generations, sha256: system.sha256 }, projection, follow));
    return found;
  };
  const swap = async () => {
    for (let next = await catchUp.run('swapping'); next.length > 0; next = await catchUp.run('swapping')) {
      if (signal.aborted || (await generations.swap(next))) return;
      await generations.hold(longestHoldMs);
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
    if (!signal.aborted) {
      const head = await events.head();
      tell({ phase: 'indexing', position: head, head, events: catchUp.applied() });
      await generations.makeReady(built);
    }
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

  const raised = async () => {
    const all = await generations.all();
    const live = new Map(all.flatMap((one) => (one.state === 'live' ? [[one.collection, one.version]] : [])));
    return projections.filter(({ name, version }) => version > (live.get(name) ?? version));
  };
  const rebuildRaised = async (signal: AbortSignal) => {
    const wanted = await raised();
    if (wanted.length === 0) return;
    const names = wanted.map(({ name }) => name);
    system.log.info({ projections: names }, 'projections were changed; they are rebuilt while the old ones serve');
    const gently = createRun({ sizes: sizesBesideOthers, ...ports }, wanted, { signal, tell: () => undefined });
    const { outcome, events, failures } = await gently();
    if (outcome === 'failed') system.log.error({ failures }, 'projections cannot be rebuilt; the old ones serve on');
    else system.log.info({ projections: names, outcome, events }, 'the rebuild of changed projections has ended');
  };
  return {
    run,
    abandon: (wanted) => generations.abandon(wanted),
    runRaised: async (signal) => {
      while (!signal.aborted) {
        await generations.removeRetired();
        await rebuildRaised(signal);
        await system.sleep(lookEveryMs, signal);
      }
    },
  };
};
