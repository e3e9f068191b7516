import { isRecordType, type Loss, type Seal } from '../../../domain/aggregates/audit.js';
import { positionAt } from '../../commands/position-at.js';
import { beginning, type EventStore, type Position, type Recorded } from '../../ports/event-store.js';
import { before } from '../event-pages.js';
import type { Period } from './period.js';

/** Events that an evidence folder contains. Numbers count the events of the organization from 1. */
export type Scope = {
  /** Position of the last event in the folder. */
  readonly upTo: Position;
  readonly events: number;
  /** Numbers of the first and the last event of the period; `first` is `last` + 1 if the period has no event. */
  readonly first: number;
  readonly last: number;
  /** Number of events that the seals in the folder cover. */
  readonly sealed: number;
  /** Number of events of the period, by type. */
  readonly types: Readonly<Record<string, number>>;
  /** Id of the last event of the period, or of the last event before the period. */
  readonly lastId: string;
};

type Batches = AsyncIterable<readonly Recorded[]>;

/** Yields the events up to position `last`, inclusive. */
export const upToPosition = async function* (batches: Batches, last: Position): AsyncGenerator<readonly Recorded[]> {
  for await (const batch of batches) {
    const wanted = batch.filter(({ position }) => position <= last);
    if (wanted.length > 0) yield wanted;
    if (wanted.length < batch.length) return;
  }
};

type Bounds = { readonly after: Position; readonly until: Position };

/**
 * Creates a counter that finds the numbers of the first and the last event of the period, and counts the events of the
 * period by type.
 */
const createPeriodCounter = ({ after, until }: Bounds) => {
  const types = new Map<string, number>();
  let [first, last, lastId] = [1, 0, ''];
  return {
    take: (event: number, { position, type, id }: Recorded) => {
      if (position > until) return;
      [last, lastId] = [event, id];
      if (position <= after) first = event + 1;
      else types.set(type, (types.get(type) ?? 0) + 1);
    },
    last: () => last,
    result: () => ({
      first,
      last,
      lastId,
      types: Object.fromEntries([...types].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    }),
  };
};

/**
 * Creates a finder of the first seal that covers the whole period. If a migration or an accepted loss is recorded
 * later, the folder also contains that record and the first seal after it: without the record, the earlier seals would
 * contradict the events.
 */
const createSealFinder = ({ until }: Bounds) => {
  let [sealed, events, upTo] = [0, 0, beginning];
  let isFound = false;
  return {
    take: (event: number, { position, type, data }: Recorded, lastOfPeriod: number) => {
      if (isRecordType(type) && type !== 'AuditSealed') isFound = false;
      if (isFound) return;
      [events, upTo] = [event, position];
      if (type === 'LossAccepted') sealed = (data as Loss).found.count;
      if (type === 'AuditSealed') sealed = (data as Seal).count;
      isFound = type === 'AuditSealed' && position > until && sealed >= lastOfPeriod;
    },
    result: () => ({ sealed, events, upTo }),
  };
};

/**
 * Finds the events of a folder: from the first event, where the hash chain begins, to the first seal that covers the
 * whole period, or to the newest event if no seal covers the period yet.
 */
export const findScope = async (stored: EventStore, organizationId: string, period: Period): Promise<Scope> => {
  const head = await stored.head();
  const bounds = {
    after: await positionAt(stored, organizationId, before({ time: period.start })),
    until: await positionAt(stored, organizationId, { time: period.end }),
  };
  const [counter, finder] = [createPeriodCounter(bounds), createSealFinder(bounds)];
  let event = 0;
  for await (const batch of upToPosition(stored.readOrganization(organizationId, beginning), head))
    for (const recorded of batch) {
      event++;
      counter.take(event, recorded);
      finder.take(event, recorded, counter.last());
    }
  return { ...finder.result(), ...counter.result() };
};
