import { setImmediate as breathe } from 'node:timers/promises';
import {
  type EventStore,
  type NewEvent,
  noStream,
  organizationOf,
  type Position,
  type Recorded,
  WrongRevision,
} from '../../application/ports/event-store.js';
import { openDatabase, unavailable } from './database.js';
import type { Append, Appended, EventRow } from './event-writer.js';
import { startThread } from './thread.js';

const batchSize = 500;
/** How often a subscriber that has nothing to do looks for what another process appended. */
const lookEveryMs = 100;

type Row = EventRow & { position: number; stream: string; revision: number; time: number };

const recorded = ({ data, metadata, position, stream, id, type, time }: Row): Recorded => ({
  type,
  data: JSON.parse(data),
  id,
  metadata: JSON.parse(metadata),
  stream,
  position,
  time,
});
const row = ({ id, type, data, metadata }: NewEvent): EventRow => ({
  id,
  type,
  data: JSON.stringify(data),
  metadata: JSON.stringify(metadata),
});

/** Wakes subscribers of this process at once; those of others find out by looking. */
const createBell = () => {
  const sleepers = new Set<() => void>();
  return {
    ring: () => {
      for (const wake of sleepers) wake();
    },
    wait: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          sleepers.delete(wake);
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        sleepers.add(wake);
        signal.addEventListener('abort', wake);
        if (signal.aborted) wake();
      }),
  };
};

export const sqliteEventStore = async (path: string): Promise<EventStore> => {
  const extension = import.meta.url.slice(-3);
  const writer = await startThread<Append, Appended>(new URL(`./event-writer${extension}`, import.meta.url), { path });
  const db = openDatabase(path, 'durable');
  const columns = 'position, stream, revision, id, type, data, metadata, time';
  const ofStream = db.prepare(`SELECT ${columns} FROM events WHERE stream = ? ORDER BY revision`);
  const ofAll = db.prepare(`SELECT ${columns} FROM events WHERE position > ? ORDER BY position LIMIT ${batchSize}`);
  const ofOrganization = db.prepare(
    `SELECT ${columns} FROM events WHERE organization = ? AND position > ? ORDER BY position LIMIT ${batchSize}`,
  );
  const last = db.prepare('SELECT max(position) AS position FROM events');
  const bell = createBell();

  const batches = async function* (next: (after: Position) => readonly Recorded[], after: Position) {
    for (let batch = next(after); batch.length > 0; batch = next(batch.at(-1)?.position ?? after)) {
      yield batch;
      await breathe();
    }
  };
  const allAfter = (after: Position) => (ofAll.all(after) as Row[]).map(recorded);

  return {
    append: async (writes) => {
      const job = writes.map(({ stream, expected, events }) => ({
        stream,
        organization: organizationOf(stream),
        expected,
        events: events.map(row),
      }));
      const outcome = await writer.run(job).catch(unavailable('event store'));
      if ('conflict' in outcome) throw new WrongRevision(outcome.conflict);
      bell.ring();
      return outcome.position;
    },
    read: async (stream) => {
      const rows = ofStream.all(stream) as Row[];
      return { events: rows.map(recorded), revision: rows.at(-1)?.revision ?? noStream };
    },
    readAll: (after) => batches(allAfter, after),
    readOrganization: (organizationId, after) =>
      batches((from) => (ofOrganization.all(organizationId, from) as Row[]).map(recorded), after),
    subscribe: async function* (after, signal) {
      let cursor = after;
      while (!signal.aborted) {
        const batch = allAfter(cursor);
        if (batch.length === 0) await bell.wait(lookEveryMs, signal);
        else {
          cursor = batch.at(-1)?.position ?? cursor;
          yield batch;
          if (batch.length === batchSize) await breathe();
        }
      }
    },
    head: async () => (last.get() as { position: number | null }).position ?? 0,
    close: async () => {
      await writer.close();
      bell.ring();
      db.close();
    },
  };
};
