import type { AnyProjection } from '../../projections/index.js';
import { beginning, type EventStore, type Recorded } from '../ports/event-store.js';
import {
  type Change,
  type Checkpoint,
  partKey,
  type ReadModels,
  type StoppedPart,
  stoppedParts,
} from '../ports/read-models.js';
import { CannotApply, fold, orCannotApply, plan } from './fold-batch.js';

type Ports = {
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly projections: readonly AnyProjection[];
  /** Reports a part that cannot be read, with the reason. */
  readonly reportStopped: (part: StoppedPart, reason: string) => Promise<void>;
};

/**
 * Creates a function that brings stopped parts (documents of single organizations) up to the position of their
 * projection. The function succeeds once a release runs that can read the events of the organization. A part that
 * cannot be read stays stopped, and this process does not try it again.
 */
export const createResumeParts = ({ events, readModels, projections, reportStopped }: Ports) => {
  const tried = new Set<string>();

  const foldAll = async (projection: AnyProjection, some: readonly Recorded[]) => {
    const planned = orCannotApply(() => plan(projection, some));
    const loaded: readonly (object | null)[] = await readModels.getMany(projection, planned.keys);
    return orCannotApply(() => fold(planned, loaded));
  };
  const commit = async (changes: readonly Change[], from: Checkpoint, positions: Checkpoint['positions']) =>
    (await readModels.commit(changes, from, positions)) ? { revision: from.revision + 1, positions } : null;

  /** Returns the new checkpoint; null when another process committed first. */
  const resume = async (projection: AnyProjection, { organizationId, position }: StoppedPart, from: Checkpoint) => {
    const key = partKey(projection.name, organizationId);
    const end = from.positions[projection.name] ?? beginning;
    let checkpoint = from;
    for await (const batch of events.readOrganization(organizationId, position)) {
      const due = batch.filter((event) => event.position <= end);
      const mine = due.filter(({ type }) => Object.hasOwn(projection.on, type));
      const positions = { ...checkpoint.positions, [key]: due.at(-1)?.position ?? end };
      const next = await commit(await foldAll(projection, mine), checkpoint, positions);
      if (!next) return null;
      checkpoint = next;
      if (due.length < batch.length) break;
    }
    const { [key]: _, ...positions } = checkpoint.positions;
    return commit([], checkpoint, positions);
  };

  return async (from: Checkpoint): Promise<Checkpoint | null> => {
    let checkpoint: Checkpoint | null = from;
    for (const part of stoppedParts(from.positions)) {
      const projection = projections.find(({ name }) => name === part.projection);
      const attempt = `${part.projection} ${part.organizationId} ${part.position}`;
      if (!checkpoint || !projection || tried.has(attempt)) continue;
      checkpoint = await resume(projection, part, checkpoint).catch(async (error: unknown) => {
        if (!(error instanceof CannotApply)) throw error;
        tried.add(attempt);
        await reportStopped(part, error.message);
        return readModels.checkpoint();
      });
    }
    return checkpoint;
  };
};
