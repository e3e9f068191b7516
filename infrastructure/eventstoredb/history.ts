import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventStore,
  isWithin,
  type Moment,
  organizationOf,
  type Position,
  type Recorded,
} from '../../application/ports/event-store.js';
import { categoryBackwards, categoryForwards, categoryOf } from './category.js';
import type { Connection, RawRecord } from './connection.js';
import { recordedIn } from './records.js';

const batchSize = 500;
const backwardsSize = 100;
/** How long the server's own category projection may lag before we do without it. */
const categoryPatienceMs = 3000;
const askEveryMs = 50;

type Events = AsyncGenerator<Recorded>;

/** Several ordered sequences as one. */
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
  for await (const event of events) {
    if (!isWanted(event)) continue;
    batch.push(event);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
};

export type History = {
  readonly forwards: EventStore['readOrganization'];
  readonly backwards: EventStore['readOrganizationBackwards'];
};

/**
 * An organization's history from the category streams of its aggregates, which the server keeps for us: the cost is the
 * organization's own. Where the server does not keep them, or not up to date, everything is read and the rest skipped.
 */
export const createHistory = (
  connection: Connection,
  aggregates: readonly string[],
  ports: {
    last: () => Promise<RawRecord | null>;
    readAll: (after: Position) => AsyncIterable<readonly Recorded[]>;
    readAllBackwards: () => AsyncIterable<RawRecord>;
  },
): History => {
  /** The server writes the links of all categories in the order of the log: having the last one it has them all. */
  const areCategoriesComplete = async (last: RawRecord) => {
    const until = Date.now() + categoryPatienceMs;
    for (;;) {
      const [newest] = await connection.readStream(`$ce-${categoryOf(last.stream)}`, {
        count: 1,
        newestFirst: true,
        resolveLinks: true,
      });
      if (newest?.commit === null) return false;
      if (newest && last.commit !== null && newest.commit >= last.commit) return true;
      if (Date.now() > until) return false;
      await sleep(askEveryMs);
    }
  };
  const names = (organizationId: string) => aggregates.map((aggregate) => `${organizationId}.${aggregate}`);

  const oldestFirst = async function* (organizationId: string, after: Position): Events {
    const last = await ports.last();
    if (!last) return;
    if (await areCategoriesComplete(last))
      yield* merge(
        names(organizationId).map((name) => categoryForwards(connection, name)),
        isOlder,
      );
    else for await (const batch of ports.readAll(after)) yield* batch;
  };
  const newestFirst = async function* (organizationId: string, upTo: Moment): Events {
    const last = await ports.last();
    if (!last) return;
    if (await areCategoriesComplete(last))
      yield* merge(
        names(organizationId).map((name) => categoryBackwards(connection, name, upTo)),
        isNewer,
      );
    else for await (const raw of ports.readAllBackwards()) yield* recordedIn(raw).toReversed();
  };

  return {
    forwards: (organizationId, after) =>
      inBatches(
        oldestFirst(organizationId, after),
        batchSize,
        ({ stream, position }) => position > after && organizationOf(stream) === organizationId,
      ),
    backwards: (organizationId, upTo) =>
      inBatches(
        newestFirst(organizationId, upTo),
        backwardsSize,
        (event) => isWithin(upTo, event) && organizationOf(event.stream) === organizationId,
      ),
  };
};
