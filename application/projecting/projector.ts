import type { AnyProjection } from '../../projections/index.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import type { Change, Checkpoint, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { includedBy, type Progress } from '../read-models/progress.js';
import { fold, plan } from './fold-batch.js';

const overtakenMs = 10;

export type Projector = {
  /** Until the signal. Safe to run in several processes at once: one of them does the work. */
  run(signal: AbortSignal): Promise<void>;
  /** Projections that no longer move, and why; the others go on without them. */
  stopped(): ReadonlyMap<string, string>;
};

export const createProjector = (ports: {
  events: EventStore;
  readModels: ReadModels;
  progress: Progress;
  system: System;
  projections: readonly AnyProjection[];
  /** For whoever is not in this process. */
  noteStop?: (name: string, stop: { position: Position; reason: string }) => Promise<void>;
}): Projector => {
  const { events, readModels, progress, system, projections, noteStop = async () => undefined } = ports;
  const stopped = new Map<string, string>();
  const moving = () => projections.filter((projection) => !stopped.has(projection.name));

  /** An event that a projection cannot apply stops that projection with the reason, not the service. */
  const orStop = <T>(projection: AnyProjection, work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      stopped.set(projection.name, String(error));
      system.log.error({ projection: projection.name, err: error }, 'a projection stopped: it cannot apply an event');
      return null;
    }
  };

  const foldBatch = async (projection: AnyProjection, mine: readonly Recorded[], behind: number) => {
    const planned = orStop(projection, () => plan(projection, mine));
    const loaded = planned && (await readModels.getMany(projection, planned.keys));
    const changed = loaded && orStop(projection, () => fold(planned, loaded as readonly (object | null)[]));
    const reason = stopped.get(projection.name);
    if (reason !== undefined) await noteStop(projection.name, { position: behind, reason });
    return changed;
  };

  /** The checkpoint after the batch, or null when another runner was faster. */
  const apply = async (checkpoint: Checkpoint, batch: readonly Recorded[]): Promise<Checkpoint | null> => {
    const last = batch.at(-1)?.position ?? beginning;
    const positions = { ...checkpoint.positions };
    const changes: Change[] = [];
    for (const projection of moving()) {
      const { name } = projection;
      const behind = positions[name] ?? beginning;
      const mine = batch.filter(({ type, position }) => position > behind && Object.hasOwn(projection.on, type));
      const changed = mine.length === 0 ? [] : await foldBatch(projection, mine, behind);
      if (!changed) continue;
      changes.push(...changed);
      positions[name] = Math.max(behind, last);
    }
    const committed = await readModels.commit(changes, checkpoint, positions);
    return committed ? { revision: checkpoint.revision + 1, positions } : null;
  };

  /** Read models that are ahead of the events were made from others, perhaps before a backup was restored. */
  const discardForeign = async () => {
    const { positions } = await readModels.checkpoint();
    const head = await events.head();
    if (Math.max(beginning, ...Object.values(positions)) <= head) return;
    system.log.warn({ positions, head }, 'the read models are ahead of the event store; they are built anew');
    await readModels.reset();
  };

  return {
    stopped: () => stopped,
    run: async (signal) => {
      await discardForeign();
      while (!signal.aborted) {
        let checkpoint = await readModels.checkpoint();
        progress.moved(includedBy(checkpoint));
        const from = Math.min(...moving().map((one) => checkpoint.positions[one.name] ?? beginning));
        for await (const batch of events.subscribe(from, signal)) {
          const next = await apply(checkpoint, batch);
          if (!next) break;
          checkpoint = next;
          progress.moved(includedBy(checkpoint));
        }
        // Another runner was faster, or a rebuild holds the read models for the moment that its swap takes.
        await system.sleep(overtakenMs, signal);
      }
    },
  };
};
