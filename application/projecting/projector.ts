import type { AnyCollection } from '../../projections/define.js';
import type { AnyProjection } from '../../projections/index.js';
import { linkedController } from '../async/linked-controller.js';
import { beginning, type EventStore, type Recorded, UnknownPosition } from '../ports/event-store.js';
import {
  type Change,
  type Checkpoint,
  type DocumentKey,
  partKey,
  type ReadModels,
  stoppedParts,
} from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { noTracer, type Tracer } from '../ports/tracing/tracer.js';
import type { Measure } from '../processes/measurements.js';
import type { Progress } from '../read-models/progress.js';
import { slotOf } from './fold-batch.js';
import { createStopReports, foldReadable, type NoteStop, type StopReports } from './fold-readable.js';
import { headBehind, waitForRebuild } from './foreign.js';
import { createResumeParts } from './resume-parts.js';

const overtakenMs = 10;
/**
 * Maximum number of events that all projections fold in one turn of the event loop. For a larger batch, each projection
 * gets its own turn.
 */
const foldedAtOnce = 200;

export type Projector = {
  /**
   * Projects events until the signal fires. Several processes may run a projector at once; one process does the work.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Returns the projections that cannot apply an event, with the reason. The other projections continue. */
  stopped(): ReadonlyMap<string, string>;
};

type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly system: System;
  readonly projections: readonly AnyProjection[];
  /** Records a stopped projection for other processes. */
  readonly noteStop?: NoteStop;
  readonly measure?: Measure;
  readonly tracer?: Tracer;
};

/**
 * Creates a cache of the documents of the last batch, because the next batch touches many of them again. The cache is
 * valid while the checkpoint has the revision of that batch: every other change of documents increments the revision.
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

/**
 * Creates a function that derives a signal from the given signal. The derived signal also fires when the read models
 * are lost and have to be rebuilt from the first event.
 */
const createUntilLost = (readModels: ReadModels) => {
  let lost = new AbortController();
  readModels.onLost?.(() => lost.abort());
  return (signal: AbortSignal) => {
    lost.abort();
    lost = linkedController(signal);
    return lost.signal;
  };
};

/**
 * Folds a batch into the documents of all projections. With `breathe`, pauses before each projection so that other work
 * can run.
 */
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

/**
 * Creates functions that apply batches to the documents; `stopped` receives the projections that cannot apply an
 * event.
 */
const createApply = (ports: Ports, stopped: Map<string, string>, reports: StopReports) => {
  const { readModels, system, projections } = ports;
  const moving = () => projections.filter((projection) => !stopped.has(projection.name));
  const lastBatch = createLastBatch(readModels);

  const apply = async (checkpoint: Checkpoint, batch: readonly Recorded[]): Promise<Checkpoint | null> => {
    const last = batch.at(-1)?.position ?? beginning;
    const positions = { ...checkpoint.positions };
    const parts = stoppedParts(positions);
    const foldMine = async (projection: AnyProjection): Promise<readonly Change[]> => {
      const { name } = projection;
      const behind = positions[name] ?? beginning;
      const mine = batch.filter(({ type, position }) => position > behind && Object.hasOwn(projection.on, type));
      const folded = await foldReadable(projection, mine, {
        position: behind,
        parts: parts.filter((part) => part.projection === name),
        read: (keys) => lastBatch.read(projection, keys, checkpoint),
        reports,
      });
      if ('reason' in folded) {
        stopped.set(name, folded.reason);
        return [];
      }
      positions[name] = Math.max(behind, last);
      for (const { organizationId, position } of folded.parts) positions[partKey(name, organizationId)] = position;
      return folded.changes;
    };
    const changes = await foldAll(moving(), foldMine, batch.length > foldedAtOnce ? system.breathe : null);
    if (!(await readModels.commit(changes, checkpoint, positions))) return null;
    const next = { revision: checkpoint.revision + 1, positions };
    lastBatch.note(changes, next);
    return next;
  };
  return {
    moving,
    /** Returns the checkpoint after the batch; null when another process committed first. */
    apply,
  };
};

/** Runs work on a batch in the trace of its first traced event, linked to the traces of the other events. */
const traced = <T>(tracer: Tracer, batch: readonly Recorded[], work: () => Promise<T>): Promise<T> => {
  if (!tracer.isOn) return work();
  const causes = new Set(batch.flatMap(({ metadata: { traceparent } }) => traceparent ?? []));
  const [parent, ...links] = [...causes].map((traceparent) => ({ traceparent }));
  if (!parent) return work();
  const attributes = { 'chainfold.events': batch.length, 'chainfold.position': batch.at(-1)?.position };
  return tracer.entry('project events', { kind: 'consumer', parent, links, attributes }, work);
};

export const createProjector = (ports: Ports): Projector => {
  const {
    events,
    readModels,
    progress,
    system,
    projections,
    noteStop = async () => undefined,
    tracer = noTracer,
  } = ports;
  const stopped = new Map<string, string>();
  const reports = createStopReports(system.log, noteStop);
  const { moving, apply } = createApply(ports, stopped, reports);
  const resumeParts = createResumeParts({ ...ports, reportStopped: reports.part });

  const untilLost = createUntilLost(readModels);
  const untilRebuilt = (signal: AbortSignal) =>
    waitForRebuild(
      ports,
      noteStop,
      projections.map(({ name }) => name),
      signal,
    );
  const projectUntilOvertaken = async (signal: AbortSignal) => {
    const resumed = await resumeParts(await readModels.checkpoint());
    if (!resumed) return;
    let checkpoint = resumed;
    progress.advanceTo(checkpoint);
    const from = Math.min(...moving().map((one) => checkpoint.positions[one.name] ?? beginning));
    for await (const batch of events.subscribe(from, signal)) {
      const from = checkpoint;
      const next = await traced(tracer, batch, () => apply(from, batch));
      if (!next) return;
      checkpoint = next;
      progress.advanceTo(checkpoint);
      const [oldest] = batch;
      if (oldest) ports.measure?.('projection', (system.now() - oldest.time) / 1000, {});
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
        // Pauses, because another process committed first or a rebuild blocks commits until it has swapped the read
        // models.
        await system.sleep(overtakenMs, signal);
      }
    },
  };
};
