import { UnreadableEvent } from '../../domain/upcasters.js';
import type { AnyProjection } from '../../projections/index.js';
import type { Position, Recorded } from '../ports/event-store.js';
import { type Change, type DocumentKey, partKey, type StoppedPart } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { CannotApply, fold, orCannotApply, plan } from './fold-batch.js';

/**
 * Maximum number of organizations whose part of a projection is stopped. With more organizations, the whole projection
 * stops, so that the size of the checkpoint is bounded.
 */
const maxStoppedParts = 1000;

/**
 * Records for other processes that a projection, or its part for one organization, is stopped. `name` is the name of
 * the projection or part in the checkpoint.
 */
export type NoteStop = (name: string, stop: { position: Position; reason: string }) => Promise<void>;

/** Reports of stopped projections and parts, to the log and to other processes. */
export type StopReports = {
  projection(name: string, position: Position, error: unknown): Promise<void>;
  part(part: StoppedPart, reason: string): Promise<void>;
};

export const createStopReports = (log: System['log'], note: NoteStop): StopReports => ({
  projection: async (name, position, error) => {
    log.error({ projection: name, err: error }, 'Projection stopped: it cannot apply an event');
    await note(name, { position, reason: String(error) });
  },
  part: async ({ projection, organizationId, position }, reason) => {
    const fields = { projection, organization: organizationId, reason };
    log.error(fields, 'Projection stopped for one organization: it cannot read an event');
    await note(partKey(projection, organizationId), { position, reason });
  },
});

type Surroundings = {
  /** Position of the projection before the events are applied. */
  readonly position: Position;
  /** Parts of the projection that are stopped already. */
  readonly parts: readonly StoppedPart[];
  readonly read: (keys: readonly DocumentKey[]) => Promise<readonly (object | null)[]>;
  readonly reports: StopReports;
};
type Folded =
  | { readonly changes: readonly Change[]; readonly parts: readonly StoppedPart[] }
  /** Reason why the projection stopped. */
  | { readonly reason: string };

/** Folds all events together; calls `failed` and returns null if the projection cannot apply an event. */
const foldOrNull = async (
  projection: AnyProjection,
  events: readonly Recorded[],
  read: Surroundings['read'],
  failed: (error: CannotApply) => Promise<void>,
) => {
  try {
    const planned = orCannotApply(() => plan(projection, events));
    const loaded = await read(planned.keys);
    return orCannotApply(() => fold(planned, loaded));
  } catch (error) {
    if (!(error instanceof CannotApply)) throw error;
    await failed(error);
    return null;
  }
};

/**
 * Folds the events of a projection. An event of an unknown version stops the projection for the organization of that
 * event only; any other event that cannot be applied stops the whole projection. Other parts and projections continue.
 */
export const foldReadable = async (
  projection: AnyProjection,
  events: readonly Recorded[],
  { position, parts, read, reports }: Surroundings,
): Promise<Folded> => {
  const { name } = projection;
  const stopped = new Map(parts.map((part) => [part.organizationId, part]));
  let reason: string | null = null;
  const failed = async ({ message, cause }: CannotApply) => {
    const organizationId = cause instanceof UnreadableEvent ? cause.organizationId : null;
    if (organizationId === null || stopped.size >= maxStoppedParts) {
      reason = message;
      return reports.projection(name, position, cause);
    }
    const part = { projection: name, organizationId, position };
    stopped.set(organizationId, part);
    return reports.part(part, message);
  };
  while (reason === null) {
    const mine = stopped.size > 0 ? events.filter((one) => !stopped.has(one.metadata.organizationId)) : events;
    const changes = mine.length === 0 ? [] : await foldOrNull(projection, mine, read, failed);
    if (changes) return { changes, parts: [...stopped.values()] };
  }
  return { reason };
};
