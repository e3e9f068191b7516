import { type Deadline, type NewEvent, noStream, type Revision } from '../../application/ports/event-store.js';
import { createStreamCache } from '../memory/stream-cache.js';
import type { Commits } from './commit.js';
import type { Connection, RawRecord } from './connection.js';
import { rejectDeleted } from './deleted.js';

type Stream = { readonly events: readonly NewEvent[]; readonly revision: Revision };
/** Stream that was read. `lastId` is the id of the record at `revision`. */
type Known = Stream & { readonly lastId: string | undefined };

/** Returns a function that reads a stream, and of a long stream only the records that it has not read before. */
export const createStreamReads = (connection: Connection, commits: Pick<Commits, 'eventsIn'>) => {
  const cache = createStreamCache<Known>();

  /**
   * Returns the records after the known ones. Reads the last known record again: if the server has a different record
   * or none in its place, because the stream was deleted or another backup restored, returns null.
   */
  const readAfter = async (stream: string, known: Known, deadline: Deadline) => {
    const [last, ...newer] = await connection.readStream(stream, { from: known.revision, deadline });
    return last?.id === known.lastId ? newer : null;
  };

  const readAll = async (stream: string, deadline: Deadline): Promise<readonly RawRecord[]> => {
    const records = await connection.readStream(stream, { deadline });
    if (records.length === 0) await rejectDeleted(connection, stream);
    return records;
  };

  return async (stream: string, deadline: Deadline): Promise<Stream> => {
    const known = cache.get(stream);
    const newer = known ? await readAfter(stream, known, deadline) : null;
    if (known && newer?.length === 0) return { events: known.events, revision: known.revision };
    const records = newer ?? (await readAll(stream, deadline));
    const last = records.at(-1);
    const found = await commits.eventsIn(records, deadline);
    const events = known && newer ? [...known.events, ...found] : found;
    const read = { events, revision: last?.revision ?? noStream };
    cache.set(stream, { ...read, lastId: last?.id });
    return read;
  };
};
