import {
  beginning,
  type EventStore,
  noStream,
  type Position,
  type Recorded,
  type Revision,
} from '../../application/ports/event-store.js';
import type { ClientWrite, NewRecord } from './clients/client.js';
import { type Connection, committedAt } from './connection.js';
import { rejectDeleted } from './deleted.js';
import { inParallel } from './in-parallel.js';
import { storedMetadata } from './records.js';

const readsAtOnce = 64;
/** Limits of one append in events and bytes, well below the 1 MiB that a server accepts by default. */
const maxEvents = 50;
const maxBytes = 524_288;
/** Upper bound on the bytes of a record's metadata and type. */
const metadataBytes = 4096;
/**
 * Milliseconds without an answer from the server after which an adoption (the copy of another event store) fails.
 */
const idleTimeoutMs = 4500;
/**
 * Maximum number of cached stream revisions. When the cache exceeds this number, it is cleared, and revisions are read
 * from the server.
 */
const maxCached = 1_000_000;

type Run = { readonly stream: string; readonly records: NewRecord[]; bytes: number };

const recordOf = ({ time, ...event }: Recorded): NewRecord => ({
  id: event.id,
  type: event.type,
  data: event.data,
  metadata: { ...storedMetadata(event), [committedAt]: time },
});

/** Groups consecutive events of the same stream, so that each group is one append. */
const runsOf = (events: readonly Recorded[]) => {
  const runs: Run[] = [];
  for (const event of events) {
    const record = recordOf(event);
    const bytes = event.bytes + metadataBytes;
    const last = runs.at(-1);
    const fits = last && last.stream === event.stream && last.records.length < maxEvents;
    if (fits && last.bytes + bytes <= maxBytes) {
      last.records.push(record);
      last.bytes += bytes;
    } else runs.push({ stream: event.stream, records: [record], bytes });
  }
  return runs;
};

/**
 * Creates a cache for the revisions of adopted streams. If the store was empty before the adoption, a stream that is
 * not in the cache must be new, so its revision is not read. When the cache exceeds `maxCached` it is cleared, and
 * revisions are read from then on.
 */
const createRevisions = (connection: Connection, head: () => Promise<Position>) => {
  const known = new Map<string, Revision>();
  let knowsAll: boolean | undefined;
  const read = async (stream: string) => {
    const [newest] = await connection.readStream(stream, { count: 1, newestFirst: true });
    if (!newest) await rejectDeleted(connection, stream);
    known.set(stream, newest?.revision ?? noStream);
  };
  return {
    /** Reads the revisions of the streams that are not cached yet. */
    load: async (streams: readonly string[]) => {
      knowsAll ??= (await head()) === beginning;
      if (known.size > maxCached) {
        known.clear();
        knowsAll = false;
      }
      if (!knowsAll)
        await inParallel(
          streams.filter((stream) => !known.has(stream)),
          readsAtOnce,
          read,
        );
    },
    /** Returns the revision that the next append expects, and advances the cached revision by `count` records. */
    next: (stream: string, count: number) => {
      const expected = known.get(stream) ?? noStream;
      known.set(stream, expected + count);
      return expected;
    },
    clear: () => {
      known.clear();
      knowsAll = false;
    },
  };
};

/**
 * Creates a function that appends events in the order of the log. A server without batch appends receives one append
 * after the other.
 */
export const createAdoption = (connection: Connection, head: () => Promise<Position>): EventStore['adopt'] => {
  const revisions = createRevisions(connection, head);
  const append = async (appends: readonly ClientWrite[]) => {
    if (await connection.appendInOrder(appends, idleTimeoutMs)) return;
    for (const { stream, expected, records } of appends) await connection.append(stream, expected, records);
  };
  return async (events) => {
    const runs = runsOf(events);
    await revisions.load([...new Set(runs.map(({ stream }) => stream))]);
    const appends = runs.map(({ stream, records }) => ({
      stream,
      expected: revisions.next(stream, records.length),
      records,
    }));
    try {
      await append(appends);
    } catch (error) {
      revisions.clear();
      throw error;
    }
  };
};
