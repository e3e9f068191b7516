import { clockStream, organizationOf } from '../../../application/ports/event-store.js';
import type { PageCache } from '../../settings/memory-budget.js';
import { rareAutoCheckpoint } from '../checkpoints.js';
import { inTransaction, limitLockWait, limitParameter, openDatabase } from '../database.js';
import { serveThread } from '../thread.js';
import { misplacedIndex } from './event-order.js';
import { withCode } from './stored-metadata.js';

type EventRow = { readonly id: string; readonly type: string; readonly data: string; readonly metadata: string };
export type Append = readonly {
  readonly stream: string;
  readonly expected: number;
  /**
   * Events to append. The metadata of an event is null when it equals the metadata of the previous event, as within one
   * command.
   */
  readonly events: readonly (Omit<EventRow, 'metadata'> & {
    readonly metadata: string | null;
    readonly mac?: string | undefined;
  })[];
}[];
/** Events that another store recorded, with their commit times. */
export type Adoption = { readonly adopted: readonly (EventRow & { readonly stream: string; readonly time: number })[] };
/**
 * Outcome of an append. `time` is the commit time in Unix ms, or null when subscribers need not be notified, because
 * the events were already stored or were adopted; `conflict` is a stream that is not at its expected revision.
 */
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
    remaining INTEGER NOT NULL -- number of events of the same append that follow
  );
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (stream, revision);
  CREATE INDEX IF NOT EXISTS events_by_organization ON events (organization, position);
  ${misplacedIndex}`;

const corrects = (writes: Append) => writes.some(({ stream }) => stream === clockStream);

/**
 * Returns the time of a commit. The time never decreases, except in a commit that records a correction of the clock.
 */
const timeAfter = (last: number, writes: Append) => (corrects(writes) ? Date.now() : Math.max(Date.now(), last));

type WriterOptions = { readonly path: string; readonly lockMs: number; readonly pages: PageCache };

serveThread<WriterOptions, Append | Adoption, Appended>(({ path, lockMs, pages }) => {
  const db = openDatabase(path, 'durable', pages);
  db.exec(schema);
  db.exec(rareAutoCheckpoint);
  const revisionOf = db.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
  const storedAfter = db.prepare(
    `SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision ${limitParameter}`,
  );
  const lastTime = db.prepare('SELECT time FROM events ORDER BY position DESC LIMIT 1');
  const insert = db.prepare(
    'INSERT INTO events (stream, revision, organization, id, type, data, metadata, time, remaining) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );

  const currentRevision = (stream: string) => (revisionOf.get(stream) as { revision: number | null }).revision ?? -1;

  /**
   * Returns the position of a write that was already stored, with the same event ids at the same revisions; null
   * otherwise.
   */
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
      for (const { id, type, data, metadata: own, mac } of events) {
        metadata = own ?? metadata;
        const stored = withCode(metadata, mac);
        const row = [stream, ++revision, organization, id, type, data, stored, time, --remaining] as const;
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

  limitLockWait(db, lockMs);

  // One transaction, and therefore one fsync, covers all jobs that arrived while the previous batch was written.
  return (jobs) =>
    inTransaction(db, () => {
      let last = (lastTime.get() as { time: number } | undefined)?.time ?? 0;
      return jobs.map((job) => {
        if ('adopted' in job) return adopt(job);
        const appended = append(job, timeAfter(last, job));
        if ('time' in appended) last = appended.time ?? last;
        return appended;
      });
    });
});
