import { setImmediate as breathe } from 'node:timers/promises';
import {
  type EventStore,
  type Metadata,
  type NewEvent,
  noStream,
  type Position,
  type Recorded,
  type StreamWrite,
  WrongRevision,
} from '../../application/ports/event-store.js';
import { unavailable } from '../unavailable.js';
import { type Access, type Database, limitGiven, openDatabase, openToRead } from './database.js';
import type { Adoption, Append, Appended, EventRow } from './event-writer.js';
import { createSubscriptions } from './subscriptions.js';
import { noThread, startThread } from './thread.js';

const batchSize = 500;
const backwardsSize = 100;
/** Fewer, since what a service answers as of a moment is made of them while it answers others. */
const organizationSize = 200;

type Row = EventRow & { position: number; stream: string; time: number };

const recorded = ({ data, metadata, position, stream, id, type, time }: Row): Recorded => ({
  type,
  data: JSON.parse(data),
  id,
  metadata: JSON.parse(metadata),
  stream,
  position,
  time,
});

const allColumns = 'position, stream, id, type, data, metadata, time, remaining';
type AllRow = readonly [number, string, string, string, string, string, number, number];

/** Events of one append have the same metadata, which is read once for them all. */
const allRecorded = (rows: readonly AllRow[]): Recorded[] => {
  let text = '';
  let known: Recorded['metadata'] | undefined;
  return rows.map(([position, stream, id, type, data, metadata, time]) => {
    if (!known || metadata !== text) known = JSON.parse(metadata) as Recorded['metadata'];
    text = metadata;
    return { type, data: JSON.parse(data), id, metadata: known, stream, position, time };
  });
};
/** The events of one command have the same metadata, which is written, sent and read once for them all. */
const appendOf = (writes: readonly StreamWrite[]): Append => {
  let before: Metadata | undefined;
  const rowOf = ({ id, type, data, metadata }: NewEvent) => {
    const isSame = metadata === before;
    before = metadata;
    return { id, type, data: JSON.stringify(data), metadata: isSame ? null : JSON.stringify(metadata) };
  };
  return writes.map(({ stream, expected, events }) => ({ stream, expected, events: events.map(rowOf) }));
};
/** What was appended as reading it would give it; it lies together and ends at `last`. */
const recordedBy = (append: Append, last: Position, time: number): Recorded[] => {
  let position = last - append.reduce((sum, { events }) => sum + events.length, 0);
  let known = {} as Metadata;
  return append.flatMap(({ stream, events }) =>
    events.map(({ id, type, data, metadata }) => {
      if (metadata !== null) known = JSON.parse(metadata) as Metadata;
      return { type, data: JSON.parse(data), id, metadata: known, stream, position: ++position, time };
    }),
  );
};

const adoption = (events: readonly Recorded[]): Adoption => ({
  adopted: events.map(({ stream, id, type, data, metadata, time }) => ({
    stream,
    id,
    type,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
    time,
  })),
});

const batches = async function* (next: (after: Position) => readonly Recorded[], after: Position) {
  for (let batch = next(after); batch.length > 0; batch = next(batch.at(-1)?.position ?? after)) {
    yield batch;
    await breathe();
  }
};

const columns = 'position, stream, revision, id, type, data, metadata, time';

const organizationReads = (
  db: Database,
  head: () => Position,
): Pick<EventStore, 'readOrganization' | 'readOrganizationBackwards'> => {
  const ofOrganization = db.prepare(
    `SELECT ${allColumns} FROM events WHERE organization = ? AND position > ? ORDER BY position LIMIT ${organizationSize}`,
  );
  const ofOrganizationBackwards = db.prepare(
    `SELECT ${allColumns} FROM events WHERE organization = ? AND position <= ? ORDER BY position DESC LIMIT ${backwardsSize}`,
  );
  for (const statement of [ofOrganization, ofOrganizationBackwards]) statement.setReturnArrays(true);
  const timeAt = db.prepare('SELECT time FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1');

  /** By halving: times never go back. */
  const lastPositionUpTo = (time: number): Position => {
    let [low, high] = [0, head()];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (((timeAt.get(middle) as { time: number } | undefined)?.time ?? 0) <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return {
    readOrganization: (organizationId, after) =>
      batches((from) => allRecorded(ofOrganization.all(organizationId, from) as unknown as AllRow[]), after),
    readOrganizationBackwards: async function* (organizationId, upTo) {
      let from = 'position' in upTo ? upTo.position : lastPositionUpTo(upTo.time);
      for (;;) {
        const batch = allRecorded(ofOrganizationBackwards.all(organizationId, from) as unknown as AllRow[]);
        const oldest = batch.at(-1);
        if (!oldest) return;
        yield batch;
        from = oldest.position - 1;
        await breathe();
      }
    },
  };
};

export const sqliteEventStore = async (path: string, access: Access = 'write'): Promise<EventStore> => {
  const isRead = access === 'read';
  const writer = isRead ? noThread : await startThread<Append | Adoption, Appended>('event-writer', { path });
  const db = isRead ? openToRead(path) : openDatabase(path, 'durable');
  const ofStream = db.prepare(`SELECT ${columns} FROM events WHERE stream = ? ORDER BY revision`);
  const ofAll = db.prepare(`SELECT ${allColumns} FROM events WHERE position > ? ORDER BY position ${limitGiven}`);
  // Which is quicker, and this is what reads all of history.
  ofAll.setReturnArrays(true);
  const last = db.prepare('SELECT max(position) AS position FROM events');
  const head = () => (last.get() as { position: number | null }).position ?? 0;
  /** A batch ends where an append ends, so that nobody who applies batches shows half a command. */
  const allAfter = (after: Position) => {
    const rows = ofAll.all(after, batchSize) as unknown as AllRow[];
    const [position, remaining] = [rows.at(-1)?.[0] ?? after, rows.at(-1)?.[7] ?? 0];
    const rest = remaining > 0 ? (ofAll.all(position, remaining) as unknown as AllRow[]) : [];
    return allRecorded(rest.length > 0 ? [...rows, ...rest] : rows);
  };

  const subscriptions = createSubscriptions({ readAfter: allAfter, batchSize, head, isAppending: writer.isBusy });

  return {
    refusesFreely: true,
    append: async (writes) => {
      const job = appendOf(writes);
      const outcome = await writer.run(job).catch(unavailable('the event store'));
      if ('conflict' in outcome) throw new WrongRevision(outcome.conflict);
      const { position, time } = outcome;
      if (time !== null) subscriptions.offer(() => recordedBy(job, position, time));
      return position;
    },
    adopt: async (events) => {
      await writer.run(adoption(events)).catch(unavailable('the event store'));
    },
    read: async (stream) => {
      const rows = ofStream.all(stream) as (Row & { revision: number })[];
      return { events: rows.map(recorded), revision: rows.at(-1)?.revision ?? noStream };
    },
    readAll: (after) => batches(allAfter, after),
    ...organizationReads(db, head),
    subscribe: subscriptions.subscribe,
    head: async () => head(),
    // Nothing is ever deleted here, so positions have no gaps.
    countAfter: async (position) => Math.max(0, head() - position),
    close: async () => {
      await writer.close();
      db.close();
    },
  };
};
