import {
  type Commit,
  clockStream,
  commitsUpTo,
  type EventStore,
  type Moment,
  organizationOf,
  type Position,
  type Recorded,
  systemStreams,
} from '../../../application/ports/event-store.js';
import type { createAllEvents } from '../all-events.js';
import type { Connection } from '../connection.js';
import { maxEvents, positionOf, recordedEvents } from '../records.js';
import { categoryBackwards, categoryForwards } from './category.js';
import { findEnd, isLinkedUpTo, type LogEnd } from './links.js';

const batchSize = 500;
const backwardsSize = 100;
const batchBytes = 4_194_304;

type Events = AsyncGenerator<Recorded>;

/** Merges ordered sequences into one ordered sequence. */
const merge = async function* (sequences: readonly Events[], isBefore: (a: Recorded, b: Recorded) => boolean): Events {
  const heads = await Promise.all(sequences.map(async (sequence) => ({ sequence, next: await sequence.next() })));
  for (;;) {
    const open = heads.filter(({ next }) => !next.done);
    const [first, ...others] = open;
    if (!first) return;
    const least = others.reduce((a, b) => (isBefore(b.next.value, a.next.value) ? b : a), first);
    yield least.next.value;
    least.next = await least.sequence.next();
  }
};
const isOlder = (a: Recorded, b: Recorded) => a.position < b.position;
const isNewer = (a: Recorded, b: Recorded) => a.position > b.position;

const inBatches = async function* (events: Events, size: number, isWanted: (event: Recorded) => boolean) {
  let batch: Recorded[] = [];
  let bytes = 0;
  for await (const event of events) {
    if (!isWanted(event)) continue;
    batch.push(event);
    bytes += event.bytes;
    if (batch.length < size && bytes < batchBytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
};

export type History = {
  readonly forwards: EventStore['readOrganization'];
  readonly backwards: EventStore['readOrganizationBackwards'];
};

/**
 * Creates reads of an organization's history. They use the category streams that the server maintains: their cost then
 * depends on that organization alone. The history of the system, and any history while a category stream is missing or
 * lags, is read from the log of all events instead, skipping the events of other organizations.
 */
export const createHistory = (
  connection: Connection,
  aggregates: readonly string[],
  all: Pick<ReturnType<typeof createAllEvents>, 'readUpTo' | 'recordsBackwards'>,
): History => {
  const belongsTo = async (upTo: Moment) =>
    commitsUpTo(upTo, 'time' in upTo ? (await connection.readStream(clockStream)).flatMap(recordedEvents) : []);
  /**
   * Returns whether the history can be read from category streams. The history of the system cannot be read from them:
   * a command over streams of an organization and of the system is committed in a category of the organization.
   */
  const isByCategory = async (organizationId: string, end: LogEnd) =>
    organizationId !== systemStreams && (await isLinkedUpTo(connection, end));
  const names = (organizationId: string) => aggregates.map((aggregate) => `${organizationId}.${aggregate}`);

  /**
   * Yields events up to the position that was the end of the log when the read started: the result has no gaps before
   * its last event.
   */
  const oldestFirst = async function* (organizationId: string, after: Position): Events {
    const end = await findEnd(all.recordsBackwards, organizationId);
    if (!end) return;
    if (await isByCategory(organizationId, end))
      yield* merge(
        names(organizationId).map((name) => categoryForwards(connection, name, after, end.commit)),
        isOlder,
      );
    else yield* all.readUpTo(after, end.commit);
  };
  const newestFirst = async function* (organizationId: string, isIn: (commit: Commit) => boolean): Events {
    const end = await findEnd(all.recordsBackwards, organizationId);
    if (!end) return;
    const isInEnd = (commit: Commit) => commit.position <= positionOf(end.commit, maxEvents) && isIn(commit);
    if (await isByCategory(organizationId, end))
      yield* merge(
        names(organizationId).map((name) => categoryBackwards(connection, name, isInEnd)),
        isNewer,
      );
    else for await (const raw of all.recordsBackwards()) yield* recordedEvents(raw).toReversed();
  };

  return {
    forwards: (organizationId, after) =>
      inBatches(
        oldestFirst(organizationId, after),
        batchSize,
        ({ stream, position }) => position > after && organizationOf(stream) === organizationId,
      ),
    backwards: async function* (organizationId, upTo) {
      const isIn = await belongsTo(upTo);
      yield* inBatches(
        newestFirst(organizationId, isIn),
        backwardsSize,
        (event) => isIn(event) && organizationOf(event.stream) === organizationId,
      );
    },
  };
};
