import { beginning, type EventStore, type Position, type Recorded } from '../../application/ports/event-store.js';
import { defaultDeadlines } from '../deadlines.js';
import { createAdoption } from './adopt.js';
import { createAllEvents, eventsAfter } from './all-events.js';
import { splitAppends } from './appends.js';
import { createCommits } from './commit.js';
import type { RawRecord } from './connection.js';
import { createFeed } from './feed.js';
import { createHistory } from './history/history.js';
import { connectToNamespace } from './namespace.js';
import { commitOf, plainRecords, positionOf } from './records.js';
import { createDeadline } from './retry.js';
import { createStreamReads } from './stream-reads.js';

const pageSize = 500;
const maxCounted = 10_000;

/** Splits records into batches that end where an append ends, so that readers never see half a command. */
const inBatches = function* (records: readonly RawRecord[], position: Position) {
  let batch: Recorded[] = [];
  for (const record of records) {
    batch.push(...eventsAfter([record], position));
    if (batch.length < pageSize || record.remaining > 0) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
};

/** Creates an event store on EventStoreDB or KurrentDB. `aggregates` lists the kinds of streams of an organization. */
export const eventStoreDb = async (
  url: string,
  aggregates: readonly string[],
  namespace = '',
  deadlines = defaultDeadlines,
): Promise<EventStore> => {
  const connection = await connectToNamespace(url, namespace, deadlines);
  const begin = () => createDeadline(deadlines);
  const commits = createCommits(connection);
  const readStream = createStreamReads(connection, commits);
  const all = createAllEvents(connection);
  const history = createHistory(connection, [...aggregates, 'commit'], all);
  const feed = createFeed(connection, async () => (await all.last())?.commit ?? null);
  const { head, isKnown, newest, readAll } = all;

  return {
    deadline: begin,
    append: async (writes, deadline = begin()) => {
      const [only] = writes;
      if (writes.length > 1) return (await commits.write(writes, deadline)) ?? head();
      if (!only) return head();
      let { expected } = only;
      let commit: bigint | null = null;
      for (const events of only.divisible ? splitAppends(only.events) : [only.events]) {
        commit = await connection.append(only.stream, expected, plainRecords(events), deadline);
        expected += events.length;
      }
      return commit === null ? head() : positionOf(commit, 0);
    },
    adopt: createAdoption(connection, head),
    read: (stream, deadline = begin()) => readStream(stream, deadline),
    readAll,
    readOrganization: history.forwards,
    readOrganizationBackwards: history.backwards,
    subscribe: async function* (from, signal) {
      const cursor = commitOf(from);
      // A subscriber may have stopped between two events of one record. The remaining events of that record come first.
      const rest = eventsAfter(await all.recordAt(from), from);
      if (rest.length > 0) yield rest;
      for await (const records of feed(cursor, signal)) for (const events of inBatches(records, from)) yield events;
    },
    head,
    newest,
    countAfter: async (position) => {
      let count = 0;
      for await (const batch of readAll((await isKnown(position)) ? position : beginning)) {
        count += batch.length;
        if (count >= maxCounted) break;
      }
      return count;
    },
    close: () => connection.close(),
  };
};
