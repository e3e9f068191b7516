import type { Message } from '../../domain/decider.js';
import { UnreadableEvent } from '../../domain/upcasters.js';
import type { Variant } from '../../domain/variant.js';
import type { Projection } from '../../projections/define.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import { type Checkpoint, type ReadModels, stoppedParts } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { eventContextOf } from './event-context.js';
import { documentsOfAllOwners } from './scan-owners.js';

type Ports = {
  readonly events: Pick<EventStore, 'readAll' | 'subscribe'>;
  readonly readModels: ReadModels;
  readonly system: System;
};

/** Running work of an organization; `startedAt` is the position of its first event, which the read models may lack. */
export type Running<Doc> = {
  readonly organizationId: string;
  /** Id of the document in its projection. */
  readonly id: string;
  readonly document: Doc;
  readonly startedAt: Position;
};

type Options<Doc> = {
  /** Returns the id of the work. A document of the same key with another id describes new work. */
  readonly workOf: (document: Doc) => string;
  /** Returns true if a document is older than the one that the index has. Default: no document is older. */
  readonly isOlder?: (document: Doc, known: Doc) => boolean;
  /** Called when new work starts while the index follows the events. */
  readonly onStart?: (started: Running<Doc>) => void;
};

/** Creates an index of documents by organization, each organization's oldest first. */
const createIndex = <Doc>() => {
  const byOrganization = new Map<string, Map<string, Running<Doc>>>();
  return {
    byOrganization: byOrganization as ReadonlyMap<string, ReadonlyMap<string, Running<Doc>>>,
    find: (organizationId: string, id: string) => byOrganization.get(organizationId)?.get(id) ?? null,
    set: (one: Running<Doc>) => {
      const own = byOrganization.get(one.organizationId) ?? new Map<string, Running<Doc>>();
      byOrganization.set(one.organizationId, own.set(one.id, one));
    },
    remove: (organizationId: string, id: string) => {
      const own = byOrganization.get(organizationId);
      own?.delete(id);
      if (own?.size === 0) byOrganization.delete(organizationId);
    },
  };
};

/** Returns the position up to which a projection is built for every organization. */
const includedIn = (projection: string, { positions }: Checkpoint): Position =>
  Math.min(
    positions[projection] ?? beginning,
    ...stoppedParts(positions).flatMap((part) => (part.projection === projection ? [part.position] : [])),
  );

/**
 * Creates an index in memory of a projection whose documents describe running work, for all organizations on one chain.
 * The read models are read only by `load`: reading them again and again would make the work of each organization grow
 * with the running work of all others.
 */
export const createRunningDocuments = <E extends Message, Doc extends object>(
  ports: Ports,
  projection: Projection<E, Doc>,
  variant: Variant,
  { workOf, isOlder = () => false, onStart = () => {} }: Options<Doc>,
) => {
  const { events, readModels, system } = ports;
  const index = createIndex<Doc>();
  let applied: Position = beginning;

  const project = (event: Recorded, known: Doc | null) => {
    const { type, data } = event as unknown as E;
    const next = projection.on[type as E['type']] as (
      doc: Doc | null,
      data: unknown,
      about: ReturnType<typeof eventContextOf>,
    ) => Doc | null;
    return next(known, data, eventContextOf(event));
  };
  /** Applies an event, and returns the work that it started; null if it started none. */
  const apply = (event: Recorded): Running<Doc> | null => {
    const { organizationId } = event.metadata;
    const id = projection.key(event as unknown as E);
    const known = index.find(organizationId, id);
    const document = project(event, known?.document ?? null);
    if (!document) {
      index.remove(organizationId, id);
      return null;
    }
    const isSame = known !== null && workOf(known.document) === workOf(document);
    if (isSame && isOlder(document, known.document)) return null;
    const next = { organizationId, id, document, startedAt: isSame ? known.startedAt : event.position };
    index.set(next);
    return isSame ? null : next;
  };
  const applyReadable = (event: Recorded): Running<Doc> | null => {
    if (event.metadata.variant !== variant.tag || !Object.hasOwn(projection.on, event.type)) return null;
    try {
      return apply(event);
    } catch (error) {
      // A process of the newer release that stored the event does the work.
      if (!(error instanceof UnreadableEvent)) throw error;
      return null;
    }
  };
  const applyAll = async (batches: AsyncIterable<readonly Recorded[]>, started: (one: Running<Doc>) => void) => {
    for await (const batch of batches) {
      for (const event of batch) {
        const one = applyReadable(event);
        if (one) started(one);
      }
      applied = batch.at(-1)?.position ?? applied;
      await system.breathe();
    }
  };

  return {
    byOrganization: index.byOrganization,
    find: index.find,
    set: index.set,
    remove: index.remove,
    /** Fills the index from the read models and the events after their checkpoint. */
    load: async () => {
      // The checkpoint is read before the documents. Events that the documents already include change nothing.
      applied = includedIn(projection.name, await readModels.checkpoint());
      for await (const { organizationId, id, document } of documentsOfAllOwners(ports, projection, variant.tag))
        index.set({ organizationId, id, document, startedAt: beginning });
      await applyAll(events.readAll(applied), () => {});
    },
    /** Applies events of any process as they are appended, until the signal fires. */
    follow: (signal: AbortSignal) => applyAll(events.subscribe(applied, signal), onStart),
  };
};
