import { slicesOf } from '../../../application/async/slices.js';
import {
  type Commit,
  clockStream,
  commitsUpTo,
  type EventStore,
  type Metadata,
  type Moment,
  type NewEvent,
  noStream,
  type Position,
  type Recorded,
  type StreamWrite,
  WrongRevision,
} from '../../../application/ports/event-store.js';
import { loopTurn } from '../../loop-turn.js';
import { unavailable } from '../../unavailable.js';
import { createCheckpoints } from '../checkpoints.js';
import { type Access, type Database, limitGiven, openDatabase, openToRead } from '../database.js';
import { noThread, startThread } from '../thread.js';
import type { Adoption, Append, Appended, EventRow } from './event-writer.js';
import { createSubscriptions } from './subscriptions.js';

const batchSize = 500;
/** Rows read or serialized in one turn of the event loop: an append may have thousands. */
const rowsAtOnce = 250;
const backwardsSize = 100;
/** Smaller batches, because an answer as of an earlier moment reads them while the service answers other requests. */
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
  bytes: Buffer.byteLength(data),
});

const allColumns = 'position, stream, id, type, data, metadata, time, remaining';
type AllRow = readonly [number, string, string, string, string, string, number, number];

/** Parses the metadata once for all events of an append, which share it. */
const allRecorded = (rows: readonly AllRow[]): Recorded[] => {
  let text = '';
  let known: Recorded['metadata'] | undefined;
  return rows.map(([position, stream, id, type, data, metadata, time]) => {
    if (!known || metadata !== text) known = JSON.parse(metadata) as Recorded['metadata'];
    text = metadata;
    const bytes = Buffer.byteLength(data);
    return { type, data: JSON.parse(data), id, metadata: known, stream, position, time, bytes };
  });
};
/** Serializes the metadata once for all events of a command, which share it, and a large append in several turns. */
const appendOf = async (writes: readonly StreamWrite[]): Promise<Append> => {
  let before: Metadata | undefined;
  const rowOf = ({ id, type, data, metadata }: NewEvent) => {
    const isSame = metadata === before;
    before = metadata;
    return { id, type, data: JSON.stringify(data), metadata: isSame ? null : JSON.stringify(metadata) };
  };
  const append: Append[number][] = [];
  for (const slice of slicesOf(writes, rowsAtOnce)) {
    if (append.length > 0) await loopTurn();
    for (const { stream, expected, events } of slice) append.push({ stream, expected, events: events.map(rowOf) });
  }
  return append;
};
const countOf = (append: Append) => append.reduce((sum, { events }) => sum + events.length, 0);
/**
 * Rebuilds the recorded events of an append without reading them back; they are contiguous and end at position `last`.
 */
const recordedBy = (append: Append, last: Position, time: number): Recorded[] => {
  let position = last - countOf(append);
  let known = {} as Metadata;
  return append.flatMap(({ stream, events }) =>
    events.map(({ id, type, data, metadata }) => {
      if (metadata !== null) known = JSON.parse(metadata) as Metadata;
      const bytes = Buffer.byteLength(data);
      return { type, data: JSON.parse(data), id, metadata: known, stream, position: ++position, time, bytes };
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

type Next = (after: Position) => readonly Recorded[] | Promise<readonly Recorded[]>;

const batches = async function* (next: Next, after: Position) {
  for (let batch = await next(after); batch.length > 0; batch = await next(batch.at(-1)?.position ?? after)) {
    yield batch;
    await loopTurn();
  }
};

const columns = 'position, stream, revision, id, type, data, metadata, time';

const organizationReads = (
  db: Database,
  head: () => Position,
): Pick<EventStore, 'readOrganization' | 'readOrganizationBackwards'> => {
  const ofOrganization = db.prepare(
    `SELECT ${allColumns} FROM events WHERE organization = ? AND position > ? AND position <= ? ORDER BY position LIMIT ${organizationSize}`,
  );
  const ofOrganizationBackwards = db.prepare(
    `SELECT ${allColumns} FROM events WHERE organization = ? AND position <= ? ORDER BY position DESC LIMIT ${backwardsSize}`,
  );
  for (const statement of [ofOrganization, ofOrganizationBackwards]) statement.setReturnArrays(true);
  const timeAt = db.prepare('SELECT time FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1');
  const corrections = db.prepare('SELECT position, time FROM events WHERE stream = ? ORDER BY revision');

  /** Finds the last position up to a time by binary search: all commits before one that belongs to it belong to it too. */
  const lastPositionUpTo = (moment: Moment): Position => {
    const isIn = commitsUpTo(moment, corrections.all(clockStream) as Commit[]);
    let [low, high] = [0, head()];
    while (low < high) {
      const position = Math.ceil((low + high) / 2);
      if (isIn({ position, time: (timeAt.get(position) as { time: number } | undefined)?.time ?? 0 })) low = position;
      else high = position - 1;
    }
    return low;
  };
  return {
    // A reader that went on to events of the meantime would never end beside a busy writer.
    readOrganization: async function* (organizationId, after) {
      const end = head();
      yield* batches(
        (from) => allRecorded(ofOrganization.all(organizationId, from, end) as unknown as AllRow[]),
        after,
      );
    },
    readOrganizationBackwards: async function* (organizationId, upTo) {
      let from = 'position' in upTo ? upTo.position : lastPositionUpTo(upTo);
      for (;;) {
        const batch = allRecorded(ofOrganizationBackwards.all(organizationId, from) as unknown as AllRow[]);
        const oldest = batch.at(-1);
        if (!oldest) return;
        yield batch;
        from = oldest.position - 1;
        await loopTurn();
      }
    },
  };
};

export const sqliteEventStore = async (path: string, access: Access = 'write'): Promise<EventStore> => {
  const isRead = access === 'read';
  const writer = isRead ? noThread : await startThread<Append | Adoption, Appended>('event-writer', { path });
  const checkpoints = createCheckpoints(path);
  const db = isRead ? openToRead(path) : openDatabase(path, 'durable');
  const ofStream = db.prepare(`SELECT ${columns} FROM events WHERE stream = ? ORDER BY revision`);
  const ofAll = db.prepare(`SELECT ${allColumns} FROM events WHERE position > ? ORDER BY position ${limitGiven}`);
  // Arrays are faster than objects, and this statement reads all of history.
  ofAll.setReturnArrays(true);
  const last = db.prepare('SELECT max(position) AS position FROM events');
  const head = () => (last.get() as { position: number | null }).position ?? 0;
  /** Reads a batch that ends where an append ends, so that no reader shows half a command. */
  const allAfter = async (after: Position) => {
    const batch: Recorded[] = [];
    for (let [position, left] = [after, batchSize]; left > 0; ) {
      if (batch.length > 0) await loopTurn();
      const asked = Math.min(left, rowsAtOnce);
      const rows = ofAll.all(position, asked) as unknown as AllRow[];
      batch.push(...allRecorded(rows));
      const last = rows.at(-1);
      // The last rows of the store, which end where an append ends, are fewer than asked for.
      if (!last || rows.length < asked) break;
      position = last[0];
      left = Math.max(batchSize - batch.length, last[7]);
    }
    return batch;
  };

  const subscriptions = createSubscriptions({ readAfter: allAfter, batchSize, head, isAppending: writer.isBusy });

  return {
    refusesFreely: true,
    append: async (writes) => {
      const job = await appendOf(writes);
      const outcome = await writer.run(job).catch(unavailable('the event store'));
      if ('conflict' in outcome) throw new WrongRevision(outcome.conflict);
      const { position, time } = outcome;
      checkpoints.written(countOf(job));
      if (time !== null) subscriptions.offer(() => recordedBy(job, position, time));
      return position;
    },
    adopt: async (events) => {
      await writer.run(adoption(events)).catch(unavailable('the event store'));
      checkpoints.written(events.length);
    },
    read: async (stream) => {
      const rows = ofStream.all(stream) as (Row & { revision: number })[];
      return { events: rows.map(recorded), revision: rows.at(-1)?.revision ?? noStream };
    },
    readAll: (after) => batches(allAfter, after),
    ...organizationReads(db, head),
    subscribe: subscriptions.subscribe,
    head: async () => head(),
    newest: async () => (await allAfter(head() - 1)).at(-1) ?? null,
    // No event is ever deleted, so positions have no gaps.
    countAfter: async (position) => Math.max(0, head() - position),
    close: async () => {
      await writer.close();
      await checkpoints.close();
      db.close();
    },
  };
};
