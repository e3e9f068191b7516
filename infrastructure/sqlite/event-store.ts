import { setImmediate as breathe } from 'node:timers/promises';
import {
  type EventStore,
  type NewEvent,
  noStream,
  organizationOf,
  type Position,
  type Recorded,
  type StreamWrite,
  WrongRevision,
} from '../../application/ports/event-store.js';
import { createDoorbell } from '../doorbell.js';
import { unavailable } from '../unavailable.js';
import { type Access, type Database, openDatabase, openToRead } from './database.js';
import type { Adoption, Append, Appended, EventRow } from './event-writer.js';
import { noThread, startThread } from './thread.js';

const batchSize = 500;
const backwardsSize = 100;
/** Fewer, since what a service answers as of a moment is made of them while it answers others. */
const organizationSize = 200;
/** How often a subscriber that has nothing to do looks for what another process appended. */
const lookEveryMs = 20;
const inboxLimit = 10_000;

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
const streamAppend = ({ stream, expected, events }: StreamWrite): Append[number] => ({
  stream,
  organization: organizationOf(stream),
  expected,
  events: events.map(row),
});
/** The events of an append as reading them would give them; they lie next to each other and end at `last`. */
const recordedBy = (append: Append, last: Position, time: number): Recorded[] => {
  const rows = append.flatMap(({ stream, events }) => events.map((one) => ({ ...one, stream })));
  return rows.map((one, i) => recorded({ ...one, position: last - rows.length + 1 + i, time }));
};
const row = ({ id, type, data, metadata }: NewEvent): EventRow => ({
  id,
  type,
  data: JSON.stringify(data),
  metadata: JSON.stringify(metadata),
});

const adoption = (events: readonly Recorded[]): Adoption => ({
  adopted: events.map((event) => ({
    ...row(event),
    stream: event.stream,
    organization: organizationOf(event.stream),
    time: event.time,
  })),
});

/**
 * What this process appended, for one of its subscribers: it arrives at once and need not be read back. What other
 * processes appended is found by looking.
 */
const createInbox = () => {
  let events: Recorded[] = [];
  const bell = createDoorbell();
  return {
    /** What is dropped here leaves a gap, and the subscriber reads the store instead. */
    offer: (more: readonly Recorded[]) => {
      if (events.length < inboxLimit) events.push(...more);
      bell.ring();
    },
    /** Nothing, unless it is exactly what follows the position. */
    takeAfter: (cursor: Position): readonly Recorded[] => {
      const taken = events.filter(({ position }) => position > cursor);
      events = [];
      return taken.every(({ position }, i) => position === cursor + 1 + i) ? taken : [];
    },
    /** Resolves true when nothing was offered for so long. */
    wait: (ms: number, signal: AbortSignal) => bell.wait(ms, signal, () => events.length > 0),
  };
};

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
  const writer = isRead ? noThread : await startThread<Append | Adoption, Appended>('./event-writer', { path });
  const db = isRead ? openToRead(path) : openDatabase(path, 'durable');
  const ofStream = db.prepare(`SELECT ${columns} FROM events WHERE stream = ? ORDER BY revision`);
  const ofAll = db.prepare(`SELECT ${allColumns} FROM events WHERE position > ? ORDER BY position LIMIT ?`);
  // Which is quicker, and this is what reads all of history.
  ofAll.setReturnArrays(true);
  const last = db.prepare('SELECT max(position) AS position FROM events');
  const head = () => (last.get() as { position: number | null }).position ?? 0;
  const inboxes = new Set<ReturnType<typeof createInbox>>();

  /** A batch ends where an append ends, so that nobody who applies batches shows half a command. */
  const allAfter = (after: Position) => {
    const rows = ofAll.all(after, batchSize) as unknown as AllRow[];
    const [position, remaining] = [rows.at(-1)?.[0] ?? after, rows.at(-1)?.[7] ?? 0];
    const rest = remaining > 0 ? (ofAll.all(position, remaining) as unknown as AllRow[]) : [];
    return allRecorded(rest.length > 0 ? [...rows, ...rest] : rows);
  };

  const nextFor = (inbox: ReturnType<typeof createInbox>, cursor: Position, look: boolean): readonly Recorded[] => {
    const offered = inbox.takeAfter(cursor);
    return look || offered.length === 0 ? allAfter(cursor) : offered;
  };
  const subscribe: EventStore['subscribe'] = async function* (after, signal) {
    const inbox = createInbox();
    inboxes.add(inbox);
    let cursor = after;
    let look = true;
    try {
      while (!signal.aborted) {
        const batch = nextFor(inbox, cursor, look);
        cursor = batch.at(-1)?.position ?? cursor;
        if (batch.length > 0) yield batch;
        // A full batch may have more behind it.
        look = batch.length < batchSize ? await inbox.wait(lookEveryMs, signal) : await breathe(true);
      }
    } finally {
      inboxes.delete(inbox);
    }
  };

  return {
    append: async (writes) => {
      const job = writes.map(streamAppend);
      const outcome = await writer.run(job).catch(unavailable('the event store'));
      if ('conflict' in outcome) throw new WrongRevision(outcome.conflict);
      const appended = outcome.time === null ? [] : recordedBy(job, outcome.position, outcome.time);
      for (const inbox of inboxes) inbox.offer(appended);
      return outcome.position;
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
    subscribe,
    head: async () => head(),
    // Nothing is ever deleted here, so positions have no gaps.
    countAfter: async (position) => Math.max(0, head() - position),
    close: async () => {
      await writer.close();
      db.close();
    },
  };
};
