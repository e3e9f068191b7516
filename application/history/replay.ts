import { Failure, fail } from '../../domain/failure.js';
import { projections } from '../../projections/index.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import type { Change, ReadModels } from '../ports/read-models.js';
import { fold, plan } from '../projecting/fold-batch.js';

export class TooManyEvents extends Failure {
  /** Position of the first event beyond the maximum number of events. */
  readonly position: Position;
  constructor(maxEvents: number, position: Position) {
    super('UNAVAILABLE', `The answer needs more than ${maxEvents} events, the limit set by CHAINFOLD_AS_OF_EVENTS`);
    this.position = position;
  }
}

/** Read models and stream lengths after folding an organization's events up to a position. */
export type Folded = {
  readonly readModels: ReadModels;
  /** Number of events in each stream. */
  readonly lengths: ReadonlyMap<string, number>;
  readonly events: number;
};

const historicalProjections = projections.filter(({ presentOnly }) => !presentOnly);

export type DocumentChange = Change & { readonly before: object | null };

/**
 * Creates a function that applies events to read models, which must have no other writer, and returns the changed
 * documents.
 */
export const createFold = (readModels: ReadModels) => async (batch: readonly Recorded[]) => {
  const turned: DocumentChange[] = [];
  for (const projection of historicalProjections) {
    const mine = batch.filter(({ type }) => Object.hasOwn(projection.on, type));
    if (mine.length === 0) continue;
    const planned = plan(projection, mine);
    const loaded: readonly (object | null)[] = await readModels.getMany(projection, planned.keys);
    const changes = fold(planned, loaded);
    turned.push(...changes.map((change, i) => ({ ...change, before: loaded[i] ?? null })));
  }
  await readModels.commit(turned, await readModels.checkpoint(), {});
  return turned;
};

/** Yields an organization's events up to a position. Rejects between two batches when the signal fires. */
export const eventsUpTo = async function* (
  events: EventStore,
  organizationId: string,
  upTo: Position,
  signal: Pick<AbortSignal, 'aborted'>,
) {
  for await (const batch of events.readOrganization(organizationId, beginning)) {
    if (signal.aborted) fail('UNAVAILABLE', 'The request was canceled before the answer was ready.');
    const wanted = batch.filter(({ position }) => position <= upTo);
    if (wanted.length > 0) yield wanted;
    if (wanted.length < batch.length) return;
  }
};

export const foldHistory = async (
  { events, scratch }: { events: EventStore; scratch: () => ReadModels },
  { organizationId, upTo }: { organizationId: string; upTo: Position },
  { maxEvents, signal }: { maxEvents: number; signal: AbortSignal },
): Promise<Folded> => {
  const readModels = scratch();
  const apply = createFold(readModels);
  const lengths = new Map<string, number>();
  let count = 0;
  for await (const batch of eventsUpTo(events, organizationId, upTo, signal)) {
    const excess = batch[maxEvents - count];
    if (excess) throw new TooManyEvents(maxEvents, excess.position);
    count += batch.length;
    await apply(batch);
    for (const { stream } of batch) lengths.set(stream, (lengths.get(stream) ?? 0) + 1);
  }
  return { readModels, lengths, events: count };
};
