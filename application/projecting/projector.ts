import type { AnyCollection } from '../../projections/define.js';
import type { AnyProjection } from '../../projections/index.js';
import { beginning, type EventStore, type Position, type Recorded, UnknownPosition } from '../ports/event-store.js';
import type { Change, Checkpoint, DocumentKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { includedBy, type Progress } from '../read-models/progress.js';
import { fold, plan, slotOf } from './fold-batch.js';
import { headBehind, waitForRebuild } from './foreign.js';

const overtakenMs = 10;
/** Events that all projections fold in one turn of the event loop; of more, each projection folds in its own. */
const foldedAtOnce = 200;

export type Projector = {
  /** Projects events until the signal; several processes may run it at once, and one of them does the work. */
  run(signal: AbortSignal): Promise<void>;
  /** Returns the projections that cannot apply an event, with the reason; the others go on. */
  stopped(): ReadonlyMap<string, string>;
};

type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly system: System;
  readonly projections: readonly AnyProjection[];
  /** Records a stopped projection for other processes. */
  readonly noteStop?: (name: string, stop: { position: Position; reason: string }) => Promise<void>;
};

/**
 * Remembers the documents of the last batch, because many of them are touched again by the next one. They are valid
 * while the checkpoint is the one that this batch made: whoever else changes documents moves its revision.
 */
const createLastBatch = (readModels: ReadModels) => {
  let last = { revision: -1, documents: new Map<string, object | null>() };
  const slotIn = ({ name }: AnyCollection, { scope, id }: DocumentKey) => `${name}\n${slotOf(scope, id)}`;
  return {
    read: async (projection: AnyProjection, keys: readonly DocumentKey[], { revision }: Checkpoint) => {
      if (last.revision !== revision) return readModels.getMany<object>(projection, keys);
      const { documents } = last;
      const missing = keys.filter((key) => !documents.has(slotIn(projection, key)));
      const read = missing.length > 0 ? await readModels.getMany<object>(projection, missing) : [];
      const found = new Map(missing.map((key, i) => [key, read[i] ?? null]));
      return keys.map((key) => found.get(key) ?? documents.get(slotIn(projection, key)) ?? null);
    },
    note: (changes: readonly Change[], { revision }: Checkpoint) => {
      last = { revision, documents: new Map(changes.map((one) => [slotIn(one.collection, one), one.document])) };
    },
  };
};

/** Makes signals that end with another one, or when the read models were lost and are to be filled from the beginning. */
const createUntilLost = (readModels: ReadModels) => {
  let lost = new AbortController();
  readModels.onLost?.(() => lost.abort());
  return (signal: AbortSignal) => {
    lost = new AbortController();
    return AbortSignal.any([signal, lost.signal]);
  };
};

/** Folds by all projections at the same time, or one after the other with a pause before each. */
const foldAll = async (
  projections: readonly AnyProjection[],
  foldMine: (projection: AnyProjection) => Promise<readonly Change[]>,
  breathe: (() => Promise<void>) | null,
): Promise<readonly Change[]> => {
  if (!breathe) return (await Promise.all(projections.map(foldMine))).flat();
  const changes: Change[] = [];
  for (const projection of projections) {
    await breathe();
    for (const change of await foldMine(projection)) changes.push(change);
  }
  return changes;
};

/** Applies batches to the documents; `stopped` receives the projections that cannot apply an event. */
const createApply = (ports: Ports, stopped: Map<string, string>) => {
  const { readModels, system, projections, noteStop = async () => undefined } = ports;
  const moving = () => projections.filter((projection) => !stopped.has(projection.name));

  /** Stops only the projection, not the service, when the projection cannot apply an event. */
  const orStop = <T>(projection: AnyProjection, work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      stopped.set(projection.name, String(error));
      system.log.error({ projection: projection.name, err: error }, 'a projection stopped: it cannot apply an event');
      return null;
    }
  };

  const lastBatch = createLastBatch(readModels);
  const foldBatch = async (projection: AnyProjection, mine: readonly Recorded[], checkpoint: Checkpoint) => {
    const behind = checkpoint.positions[projection.name] ?? beginning;
    const planned = orStop(projection, () => plan(projection, mine));
    const loaded = planned && (await lastBatch.read(projection, planned.keys, checkpoint));
    const changed = loaded && orStop(projection, () => fold(planned, loaded));
    const reason = stopped.get(projection.name);
    if (reason !== undefined) await noteStop(projection.name, { position: behind, reason });
    return changed;
  };

  const apply = async (checkpoint: Checkpoint, batch: readonly Recorded[]): Promise<Checkpoint | null> => {
    const last = batch.at(-1)?.position ?? beginning;
    const positions = { ...checkpoint.positions };
    const foldMine = async (projection: AnyProjection): Promise<readonly Change[]> => {
      const { name } = projection;
      const behind = positions[name] ?? beginning;
      const mine = batch.filter(({ type, position }) => position > behind && Object.hasOwn(projection.on, type));
      const changed = mine.length === 0 ? [] : await foldBatch(projection, mine, checkpoint);
      if (changed) positions[name] = Math.max(behind, last);
      return changed ?? [];
    };
    const changes = await foldAll(moving(), foldMine, batch.length > foldedAtOnce ? system.breathe : null);
    if (!(await readModels.commit(changes, checkpoint, positions))) return null;
    const next = { revision: checkpoint.revision + 1, positions };
    lastBatch.note(changes, next);
    return next;
  };
  return {
    moving,
    /** Returns the checkpoint after the batch, or null when another runner was faster. */
    apply,
  };
};

export const createProjector = (ports: Ports): Projector => {
  const { events, readModels, progress, system, projections, noteStop = async () => undefined } = ports;
  const stopped = new Map<string, string>();
  const { moving, apply } = createApply(ports, stopped);

  const untilLost = createUntilLost(readModels);
  const untilRebuilt = (signal: AbortSignal) =>
    waitForRebuild(
      ports,
      noteStop,
      projections.map(({ name }) => name),
      signal,
    );
  const projectUntilOvertaken = async (signal: AbortSignal) => {
    let checkpoint = await readModels.checkpoint();
    progress.moved(includedBy(checkpoint));
    const from = Math.min(...moving().map((one) => checkpoint.positions[one.name] ?? beginning));
    for await (const batch of events.subscribe(from, signal)) {
      const next = await apply(checkpoint, batch);
      if (!next) return;
      checkpoint = next;
      progress.moved(includedBy(checkpoint));
    }
  };

  return {
    stopped: () => stopped,
    run: async (signal) => {
      while (!signal.aborted && (await headBehind(ports)) !== null) await untilRebuilt(signal);
      let following = untilLost(signal);
      while (!signal.aborted) {
        if (following.aborted) following = untilLost(signal);
        await projectUntilOvertaken(following).catch((error: unknown) => {
          if (!(error instanceof UnknownPosition)) throw error;
          return untilRebuilt(signal);
        });
        // Another runner was faster, or a rebuild holds the read models for the moment that its swap takes.
        await system.sleep(overtakenMs, signal);
      }
    },
  };
};
