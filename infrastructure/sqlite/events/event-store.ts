import { slicesOf } from '../../../application/async/slices.js';
import {
  type Commit,
  clockStream,
  commitsUpTo,
  type EventStore,
  type Metadata,
  type Moment,
  type NewEvent,
  type Position,
  type Recorded,
  type StreamWrite,
  WrongRevision,
} from '../../../application/ports/event-store.js';
import { defaultDeadlines } from '../../deadlines.js';
import { loopTurn } from '../../loop-turn.js';
import { defaultMemoryBudget, type StorePages } from '../../settings/memory-budget.js';
import { unavailable } from '../../unavailable.js';
import { createCheckpoints } from '../checkpoints.js';
import {
  type Access,
  type Database,
  limitParameter,
  openDatabase,
  openReadOnly,
  type WriteDeadlines,
  writtenInTime,
} from '../database.js';
import { noThread, startThread } from '../thread.js';
import { createOrderCheck, isInPlace } from './event-order.js';
import { type AllRow, allColumns, allRecorded, rowsAtOnce } from './event-rows.js';
import type { Adoption, Append, Appended } from './event-writer.js';
import { withCode } from './stored-metadata.js';
import { createStreamRead } from './stream-reads.js';
import { createSubscriptions } from './subscriptions.js';

const batchSize = 500;
const backwardsSize = 100;
/**
 * Batch size for reads of one organization. Smaller than `batchSize`, so that a query of a past state, which reads
 * batch after batch, delays other requests less.
 */
const organizationSize = 200;

/**
 * Serializes an append. Metadata that is the same object as the previous event's is not serialized again: its row has
 * null. Spreads a large append over several turns of the event loop.
 */
const appendOf = async (writes: readonly StreamWrite[]): Promise<Append> => {
  let before: Metadata | undefined;
  const rowOf = ({ id, type, data, metadata, mac }: NewEvent) => {
    const isSame = metadata === before;
    before = metadata;
    return { id, type, data: JSON.stringify(data), metadata: isSame ? null : JSON.stringify(metadata), mac };
  };
  const append: Append[number][] = [];
  let inTurn = 0;
  for (const { stream, expected, events } of writes) {
    const rows: ReturnType<typeof rowOf>[] = [];
    for (const slice of slicesOf(events, rowsAtOnce)) {
      if (inTurn >= rowsAtOnce) {
        await loopTurn();
        inTurn = 0;
      }
      inTurn += slice.length;
      for (const event of slice) rows.push(rowOf(event));
    }
    append.push({ stream, expected, events: rows });
  }
  return append;
};
const countOf = (append: Append) => append.reduce((sum, { events }) => sum + events.length, 0);
/**
 * Builds the recorded events of an append without reading them back. The positions of the events are contiguous and end
 * at `last`.
 */
const recordedBy = (append: Append, last: Position, time: number): Recorded[] => {
  let position = last - countOf(append);
  let known = {} as Metadata;
  return append.flatMap(({ stream, events }) =>
    events.map(({ id, type, data, metadata, mac }) => {
      if (metadata !== null) known = JSON.parse(metadata) as Metadata;
      const code = mac !== undefined && { mac };
      const bytes = Buffer.byteLength(data);
      return { type, data: JSON.parse(data), id, metadata: known, ...code, stream, position: ++position, time, bytes };
    }),
  );
};

const adoption = (events: readonly Recorded[]): Adoption => ({
  adopted: events.map(({ stream, id, type, data, metadata, mac, time }) => ({
    stream,
    id,
    type,
    data: JSON.stringify(data),
    metadata: withCode(JSON.stringify(metadata), mac),
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

const organizationReads = (
  db: Database,
  head: () => Position,
): Pick<EventStore, 'readOrganization' | 'readOrganizationBackwards'> => {
  const ofOrganization = db.prepare(
    `SELECT ${allColumns} FROM events WHERE organization = ? AND position > ? AND position <= ? AND ${isInPlace} ORDER BY position LIMIT ${organizationSize}`,
  );
  const ofOrganizationBackwards = db.prepare(
    `SELECT ${allColumns} FROM events WHERE organization = ? AND position <= ? AND ${isInPlace} ORDER BY position DESC LIMIT ${backwardsSize}`,
  );
  for (const statement of [ofOrganization, ofOrganizationBackwards]) statement.setReturnArrays(true);
  const timeAt = db.prepare(
    `SELECT time FROM events WHERE position <= ? AND ${isInPlace} ORDER BY position DESC LIMIT 1`,
  );
  const corrections = db.prepare(
    `SELECT position, time FROM events WHERE stream = ? AND ${isInPlace} ORDER BY position`,
  );

  /**
   * Finds the last position that is not after a moment. A binary search is possible, because the positions before it
   * are not after the moment either.
   */
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
    // The read ends at the current head, because a reader that continued to new events might never end.
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

export const sqliteEventStore = async (
  path: string,
  access: Access = 'write',
  deadlines: WriteDeadlines = defaultDeadlines,
  pages: StorePages = defaultMemoryBudget.eventPages,
): Promise<EventStore> => {
  const isRead = access === 'read';
  const writer = isRead
    ? noThread
    : await startThread<Append | Adoption, Appended>('event-writer', {
        path,
        lockMs: deadlines.lockMs,
        pages: pages.writing,
      });
  const checkpoints = createCheckpoints(path);
  const db = isRead ? openReadOnly(path) : openDatabase(path, 'durable', pages.reading);
  const ofAll = db.prepare(
    `SELECT ${allColumns} FROM events WHERE position > ? AND ${isInPlace} ORDER BY position ${limitParameter}`,
  );
  // Arrays are faster than objects, and this statement reads the whole history.
  ofAll.setReturnArrays(true);
  const last = db.prepare(`SELECT position FROM events WHERE ${isInPlace} ORDER BY position DESC LIMIT 1`);
  const head = () => (last.get() as { position: number } | undefined)?.position ?? 0;
  /** Reads a batch that ends where an append ends, so that readers never see half a command. */
  const allAfter = async (after: Position) => {
    const batch: Recorded[] = [];
    for (let [position, left] = [after, batchSize]; left > 0; ) {
      if (batch.length > 0) await loopTurn();
      const asked = Math.min(left, rowsAtOnce);
      const rows = ofAll.all(position, asked) as unknown as AllRow[];
      batch.push(...allRecorded(rows));
      const last = rows.at(-1);
      // A result with fewer rows than requested reaches the end of the store, which is the end of an append.
      if (!last || rows.length < asked) break;
      position = last[0];
      left = Math.max(batchSize - batch.length, last[7]);
    }
    return batch;
  };

  const subscriptions = createSubscriptions({ readAfter: allAfter, batchSize, head, isAppending: writer.isBusy });

  return {
    rejectsWithoutTrace: true,
    append: async (writes) => {
      const job = await appendOf(writes);
      const outcome = await writtenInTime(writer.run(job), deadlines).catch(unavailable('Event store'));
      if ('conflict' in outcome) throw new WrongRevision(outcome.conflict);
      const { position, time } = outcome;
      const count = countOf(job);
      checkpoints.noteCommitted(count);
      if (time !== null) subscriptions.offer({ head: position, count }, () => recordedBy(job, position, time));
      return position;
    },
    adopt: async (events) => {
      await writer.run(adoption(events)).catch(unavailable('Event store'));
      checkpoints.noteCommitted(events.length);
    },
    read: createStreamRead(db),
    readAll: (after) => batches(allAfter, after),
    ...organizationReads(db, head),
    subscribe: subscriptions.subscribe,
    head: async () => head(),
    newest: async () => (await allAfter(head() - 1)).at(-1) ?? null,
    // No event is ever deleted, so positions have no gaps.
    countAfter: async (position) => Math.max(0, head() - position),
    disorder: createOrderCheck(db, path),
    close: async () => {
      await writer.close();
      await checkpoints.close();
      db.close();
    },
  };
};
