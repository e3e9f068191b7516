import { organizationOf } from '../../application/ports/event-store.js';
import { inTransaction, limitGiven, openDatabase } from './database.js';
import { serveThread } from './thread.js';

export type EventRow = { readonly id: string; readonly type: string; readonly data: string; readonly metadata: string };
export type Append = readonly {
  readonly stream: string;
  readonly expected: number;
  /** Without metadata where it is that of the event before, as it is in one command. */
  readonly events: readonly (Omit<EventRow, 'metadata'> & { readonly metadata: string | null })[];
}[];
/** What another store recorded, with its times. */
export type Adoption = { readonly adopted: readonly (EventRow & { readonly stream: string; readonly time: number })[] };
/** `time` is null when nothing is new to those who wait for it. */
export type Appended = { readonly position: number; readonly time: number | null } | { readonly conflict: string };

const schema = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    organization TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    time INTEGER NOT NULL,
    remaining INTEGER NOT NULL -- how many more events the same append holds
  );
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (stream, revision);
  CREATE INDEX IF NOT EXISTS events_by_organization ON events (organization, position);`;

serveThread<{ path: string }, Append | Adoption, Appended>(({ path }) => {
  const db = openDatabase(path, 'durable');
  db.exec(schema);
  const revisionOf = db.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
  const storedAfter = db.prepare(
    `SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision ${limitGiven}`,
  );
  const lastTime = db.prepare('SELECT time FROM events ORDER BY position DESC LIMIT 1');
  const insert = db.prepare(
    'INSERT INTO events (stream, revision, organization, id, type, data, metadata, time, remaining) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );

  const currentRevision = (stream: string) => (revisionOf.get(stream) as { revision: number | null }).revision ?? -1;

  /** A write that was answered but whose answer got lost comes again with the same ids in the same place. */
  const storedBefore = ({ stream, expected, events }: Append[number]) => {
    const rows = storedAfter.all(stream, expected, events.length) as { id: string; position: number }[];
    const same = rows.length === events.length && rows.every(({ id }, i) => id === events[i]?.id);
    return same ? (rows.at(-1)?.position ?? null) : null;
  };

  const append = (writes: Append, time: number): Appended => {
    const conflict = writes.find(({ stream, expected }) => currentRevision(stream) !== expected);
    if (conflict) {
      const stored = writes.map(storedBefore);
      const all = stored.every((position) => position !== null);
      return all ? { position: Math.max(...(stored as number[])), time: null } : { conflict: conflict.stream };
    }
    let position = 0;
    let remaining = writes.reduce((sum, { events }) => sum + events.length, 0);
    let metadata = '';
    for (const { stream, expected, events } of writes) {
      const organization = organizationOf(stream);
      let revision = expected;
      for (const { id, type, data, metadata: own } of events) {
        metadata = own ?? metadata;
        const row = [stream, ++revision, organization, id, type, data, metadata, time, --remaining] as const;
        position = Number(insert.run(...row).lastInsertRowid);
      }
    }
    return { position, time };
  };

  const adopt = ({ adopted }: Adoption): Appended => {
    let position = 0;
    for (const { stream, id, type, data, metadata, time } of adopted) {
      const revision = currentRevision(stream) + 1;
      const row = [stream, revision, organizationOf(stream), id, type, data, metadata, time, 0] as const;
      position = Number(insert.run(...row).lastInsertRowid);
    }
    return { position, time: null };
  };

  // One transaction, and so one wait for the disk, for everything that came while the last one was written.
  return (jobs) =>
    inTransaction(db, () => {
      const last = (lastTime.get() as { time: number } | undefined)?.time ?? 0;
      const time = Math.max(Date.now(), last);
      return jobs.map((job) => ('adopted' in job ? adopt(job) : append(job, time)));
    });
});
