import {
  beginning,
  type EventStore,
  noStream,
  type Position,
  type Recorded,
} from '../../application/ports/event-store.js';
import { createAdoption } from './adopt.js';
import { createCommits } from './commit.js';
import { type Connection, connect, type RawRecord } from './connection.js';
import { createFeed } from './feed.js';
import { createHistory } from './history.js';
import { commitOf, plainRecords, positionOf, recordedIn, wholeIn } from './records.js';

const pageSize = 500;
const lookBack = 100;
const mostCounted = 10_000;

const after = (records: readonly RawRecord[], position: Position): readonly Recorded[] =>
  records.flatMap(recordedIn).filter((event) => event.position > position);

/** A batch ends where an append ends, so that nobody who applies batches shows half a command. */
const inBatches = function* (records: readonly RawRecord[], position: Position) {
  let batch: Recorded[] = [];
  for (const record of records) {
    batch.push(...after([record], position));
    if (batch.length < pageSize || record.remaining > 0) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
};

/** From a position, with the record at it: it may stand for events beyond the position. */
const allForwards = async function* (connection: Connection, from: bigint | null) {
  let page = await connection.readAll(from, pageSize);
  yield page;
  while (page.length === pageSize) {
    page = await connection.readAll(page.at(-1)?.commit ?? null, pageSize);
    yield page.slice(1);
  }
};

const allBackwards = async function* (connection: Connection): AsyncGenerator<RawRecord> {
  let before: bigint | null = null;
  for (;;) {
    const page: readonly RawRecord[] = await connection.readAllBackwards(before, lookBack);
    yield* page;
    before = page.at(-1)?.commit ?? null;
    if (page.length < lookBack || before === null) return;
  }
};

/** EventStoreDB through its own client. `aggregates` are the kinds of streams an organization's history is made of. */
export const eventStoreDb = (url: string, aggregates: readonly string[]): EventStore => {
  const connection = connect(url);
  const commits = createCommits(connection);

  const readAllBackwards = () => allBackwards(connection);

  /** The last record that stands for events of ours; the server's own records lie between. */
  const last = async (): Promise<RawRecord | null> => {
    for await (const raw of readAllBackwards()) if (recordedIn(raw).length > 0) return raw;
    return null;
  };
  const head = async (): Promise<Position> => {
    const found = await last();
    return found ? (recordedIn(found).at(-1)?.position ?? beginning) : beginning;
  };

  const readAll = async function* (from: Position): AsyncGenerator<readonly Recorded[]> {
    let partial: readonly RawRecord[] = [];
    for await (const page of allForwards(connection, commitOf(from))) {
      const records = [...partial, ...page];
      const whole = wholeIn(records);
      partial = records.slice(whole.length);
      const events = after(whole, from);
      if (events.length > 0) yield events;
    }
  };
  const history = createHistory(connection, [...aggregates, 'commit'], { last, readAll, readAllBackwards });
  const feed = createFeed(connection, async () => (await last())?.commit ?? null);

  return {
    append: async (writes) => {
      const [only] = writes;
      if (writes.length > 1) return (await commits.write(writes)) ?? head();
      if (!only) return head();
      const commit = await connection.append(only.stream, only.expected, plainRecords(only.events));
      return commit === null ? head() : positionOf(commit, 0);
    },
    adopt: createAdoption(connection),
    read: async (stream) => {
      const records = await connection.readStream(stream);
      return { events: await commits.eventsIn(records), revision: records.at(-1)?.revision ?? noStream };
    },
    readAll,
    readOrganization: history.forwards,
    readOrganizationBackwards: history.backwards,
    subscribe: async function* (from, signal) {
      const cursor = commitOf(from);
      // What is left of the record in the middle of which the subscriber stopped.
      const rest = cursor === null ? [] : after(await connection.readAll(cursor, 1), from);
      if (rest.length > 0) yield rest;
      for await (const records of feed(cursor, signal)) for (const events of inBatches(records, from)) yield events;
    },
    head,
    countAfter: async (position) => {
      let count = 0;
      for await (const batch of readAll(position)) {
        count += batch.length;
        if (count >= mostCounted) break;
      }
      return count;
    },
    close: () => connection.close(),
  };
};
