import {
  beginning,
  type EventStore,
  noStream,
  type Position,
  type Recorded,
  type Revision,
} from '../../application/ports/event-store.js';
import type { ClientWrite, NewRecord } from './clients/client.js';
import { inParallel } from './commit.js';
import { type Connection, committedAt } from './connection.js';
import { refuseDeleted } from './deleted.js';

const readsAtOnce = 64;
/** Events and bytes per append: a server accepts a megabyte at once. */
const maxInOne = 50;
const maxBytes = 524_288;
/** Bytes that a record's metadata and type stay below. */
const metadataBytes = 4096;
/** Silence after which the server counts as gone. */
const silentMs = 4500;
/** Streams whose revisions are remembered between batches; those of more are read from the server. */
const maxRemembered = 1_000_000;

type Run = { readonly stream: string; readonly records: NewRecord[]; bytes: number };

const recordOf = ({ id, type, data, metadata, time }: Recorded): NewRecord => ({
  id,
  type,
  data,
  metadata: { ...metadata, [committedAt]: time },
});

/** Groups consecutive events of the same stream, so that each group is one append. */
const runsOf = (events: readonly Recorded[]) => {
  const runs: Run[] = [];
  for (const event of events) {
    const record = recordOf(event);
    const bytes = event.bytes + metadataBytes;
    const last = runs.at(-1);
    const fits = last && last.stream === event.stream && last.records.length < maxInOne;
    if (fits && last.bytes + bytes <= maxBytes) {
      last.records.push(record);
      last.bytes += bytes;
    } else runs.push({ stream: event.stream, records: [record], bytes });
  }
  return runs;
};

/**
 * Remembers the revisions of the streams that were adopted. While a store that was empty at first has no more of them
 * than are remembered, an unknown stream is a new one.
 */
const createRevisions = (connection: Connection, head: () => Promise<Position>) => {
  const known = new Map<string, Revision>();
  let knowsAll: boolean | undefined;
  const read = async (stream: string) => {
    const [newest] = await connection.readStream(stream, { count: 1, newestFirst: true });
    if (!newest) await refuseDeleted(connection, stream);
    known.set(stream, newest?.revision ?? noStream);
  };
  return {
    /** Makes the revisions of these streams known. */
    learn: async (streams: readonly string[]) => {
      knowsAll ??= (await head()) === beginning;
      if (known.size > maxRemembered) {
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
    /** Returns the revision that the next append expects, and counts its records. */
    next: (stream: string, count: number) => {
      const expected = known.get(stream) ?? noStream;
      known.set(stream, expected + count);
      return expected;
    },
    forget: () => {
      known.clear();
      knowsAll = false;
    },
  };
};

/** Appends the groups in the order of the log; a server without batch appends gets one after the other. */
export const createAdoption = (connection: Connection, head: () => Promise<Position>): EventStore['adopt'] => {
  const revisions = createRevisions(connection, head);
  const append = async (appends: readonly ClientWrite[]) => {
    if (await connection.appendInOrder(appends, silentMs)) return;
    for (const { stream, expected, records } of appends) await connection.append(stream, expected, records);
  };
  return async (events) => {
    const runs = runsOf(events);
    await revisions.learn([...new Set(runs.map(({ stream }) => stream))]);
    const appends = runs.map(({ stream, records }) => ({
      stream,
      expected: revisions.next(stream, records.length),
      records,
    }));
    try {
      await append(appends);
    } catch (error) {
      revisions.forget();
      throw error;
    }
  };
};
