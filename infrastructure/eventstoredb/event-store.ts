import {
  beginning,
  type EventStore,
  noStream,
  type Position,
  type Recorded,
} from '../../application/ports/event-store.js';
import { createAdoption } from './adopt.js';
import { createAllEvents, eventsAfter } from './all-events.js';
import { inParts } from './appends.js';
import { createCommits } from './commit.js';
import type { RawRecord } from './connection.js';
import { refuseDeleted } from './deleted.js';
import { createFeed } from './feed.js';
import { createHistory } from './history/history.js';
import { connectIn } from './namespace.js';
import { commitOf, plainRecords, positionOf } from './records.js';
import { createPatience } from './retry.js';

const pageSize = 500;
const maxCounted = 10_000;

/** Splits records into batches that end where an append ends, so that no reader shows half a command. */
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

/** Event store on EventStoreDB; `aggregates` are the kinds of streams that an organization's history consists of. */
export const eventStoreDb = async (url: string, aggregates: readonly string[], namespace = ''): Promise<EventStore> => {
  const connection = await connectIn(url, namespace);
  const commits = createCommits(connection);

  const all = createAllEvents(connection);
  const history = createHistory(connection, [...aggregates, 'commit'], all);
  const feed = createFeed(connection, async () => (await all.last())?.commit ?? null);
  const { head, isKnown, newest, readAll } = all;

  return {
    patience: createPatience,
    append: async (writes, patience = createPatience()) => {
      const [only] = writes;
      if (writes.length > 1) return (await commits.write(writes, patience)) ?? head();
      if (!only) return head();
      let { expected } = only;
      let commit: bigint | null = null;
      for (const events of only.divisible ? inParts(only.events) : [only.events]) {
        commit = await connection.append(only.stream, expected, plainRecords(events), patience);
        expected += events.length;
      }
      return commit === null ? head() : positionOf(commit, 0);
    },
    adopt: createAdoption(connection, head),
    read: async (stream, patience = createPatience()) => {
      const records = await connection.readStream(stream, { patience });
      if (records.length === 0) await refuseDeleted(connection, stream);
      return { events: await commits.eventsIn(records, patience), revision: records.at(-1)?.revision ?? noStream };
    },
    readAll,
    readOrganization: history.forwards,
    readOrganizationBackwards: history.backwards,
    subscribe: async function* (from, signal) {
      const cursor = commitOf(from);
      // A subscriber may have stopped in the middle of a record; its remaining events come first.
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
