import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  EventStoreDBClient,
  excludeSystemEvents,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  type ResolvedEvent,
  START,
} from '@eventstore/db-client';
import { noStream, type Revision, WrongRevision } from '../../application/ports/event-store.js';
import { StoreDown } from '../../domain/failure.js';
import { withDeadline } from '../deadline.js';
import { guardAgainstClient, retrying, tryMs } from './retry.js';

/** One record of the store, whatever it means to us. */
export type RawRecord = {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly time: number;
  /** How many records of the same append follow it. */
  readonly remaining: number;
  /** Only known where the server tells it: always in $all, not in every version when reading a stream. */
  readonly commit: bigint | null;
};
export type NewRecord = {
  readonly id: string;
  readonly type: string;
  readonly data: object;
  readonly metadata: object;
};

export type Connection = {
  /** Gives the log position of the last record written, where the server tells it. */
  append(stream: string, expected: Revision, records: readonly NewRecord[]): Promise<bigint | null>;
  readStream(stream: string, options?: ReadOptions): Promise<readonly RawRecord[]>;
  /** From a position, with it. */
  readAll(from: bigint | null, count: number): Promise<readonly RawRecord[]>;
  readAllBackwards(before: bigint | null, count: number): Promise<readonly RawRecord[]>;
  subscribeToAll(after: bigint | null): ReturnType<EventStoreDBClient['subscribeToAll']>;
  close(): Promise<void>;
};
type ReadOptions = { from?: number; count?: number; newestFirst?: boolean; resolveLinks?: boolean };

/** Beside the metadata of an event that was adopted: when the store that it came from committed it. */
export const committedAt = 'chainfold.committedAt';

/** Beside the metadata of each event of an append but the last: how many follow. The server does not tell. */
export const remainingAfter = 'chainfold.remaining';

const partsOf = (created: Date, metadata: unknown): Pick<RawRecord, 'time' | 'metadata' | 'remaining'> => {
  const { [committedAt]: before, [remainingAfter]: remaining, ...own } = Object(metadata) as Record<string, unknown>;
  return {
    metadata: own,
    time: typeof before === 'number' ? before : created.getTime(),
    remaining: typeof remaining === 'number' ? remaining : 0,
  };
};

const unknownPosition = 0xffff_ffff_ffff_ffffn;

/** The client's classes are not always used for what the server says, so the kind of an error is read from its codes. */
const kindOf = (error: unknown): string => {
  const { type, code } = error as { type?: string; code?: number | string };
  return type ?? (typeof code === 'number' ? `grpc ${code}` : 'unknown');
};
const isWrongRevision = (error: unknown) => kindOf(error) === 'wrong-expected-version';
const isMissingStream = (error: unknown) => ['stream-not-found', 'no-stream'].includes(kindOf(error));

export const rawRecord = ({ event }: ResolvedEvent | AllStreamResolvedEvent): RawRecord | null =>
  event
    ? {
        stream: event.streamId,
        revision: Number(event.revision),
        id: event.id,
        type: event.type,
        data: event.data,
        ...partsOf(event.created, event.metadata),
        commit: event.position && event.position.commit !== unknownPosition ? event.position.commit : null,
      }
    : null;

type Reading = NodeJS.ReadableStream &
  AsyncIterable<ResolvedEvent | AllStreamResolvedEvent> & { cancel(): Promise<void> };

/** Everything a read gives, in time; the stream keeps a listener, for the client may report errors after the end. */
const collect = async (reading: Reading): Promise<RawRecord[]> => {
  reading.on('error', () => undefined);
  const all = async () => {
    const found: RawRecord[] = [];
    for await (const one of reading) {
      const raw = rawRecord(one);
      if (raw) found.push(raw);
    }
    return found;
  };
  return withDeadline(all(), tryMs, () => void reading.cancel().catch(() => undefined));
};

const position = (commit: bigint) => ({ commit, prepare: commit });
const eventData = (record: NewRecord) => jsonEvent({ ...record, data: record.data as Record<string, unknown> });

const createReads = (client: EventStoreDBClient, closing: AbortSignal) => {
  /** A read that is cut off by closing ends like one that has come to its end, with less than there is. */
  const whole = async (read: Promise<RawRecord[]>): Promise<RawRecord[]> => {
    const records = await read;
    if (closing.aborted) throw new StoreDown('the event store was closed');
    return records;
  };
  const isClosed = () => closing.aborted;
  const readStream: Connection['readStream'] = (stream, { from, count, newestFirst, resolveLinks } = {}) =>
    retrying(isClosed, async () => {
      const [direction, start] = newestFirst ? ([BACKWARDS, END] as const) : ([FORWARDS, START] as const);
      const reading = client.readStream(stream, {
        direction,
        fromRevision: from === undefined ? start : BigInt(from),
        ...(count !== undefined && { maxCount: count }),
        resolveLinkTos: resolveLinks ?? false,
      });
      return whole(collect(reading as Reading)).catch((error) => (isMissingStream(error) ? [] : Promise.reject(error)));
    });
  const readAll: Connection['readAll'] = (from, maxCount) =>
    retrying(isClosed, () => {
      const fromPosition = from === null ? START : position(from);
      return whole(collect(client.readAll({ direction: FORWARDS, fromPosition, maxCount }) as Reading));
    });
  const readAllBackwards: Connection['readAllBackwards'] = (before, maxCount) =>
    retrying(isClosed, () => {
      const fromPosition = before === null ? END : position(before);
      return whole(collect(client.readAll({ direction: BACKWARDS, fromPosition, maxCount }) as Reading));
    });
  return { readStream, readAll, readAllBackwards };
};

export const connect = (url: string): Connection => {
  const client = EventStoreDBClient.connectionString(url);
  const release = guardAgainstClient();
  const closing = new AbortController();
  const reads = createReads(client, closing.signal);

  /** A try whose answer got lost may be what moved the stream. */
  const storedBefore = async (stream: string, expected: Revision, records: readonly NewRecord[]) => {
    const found = await reads.readStream(stream, { from: expected + 1, count: records.length });
    return found.length === records.length && found.every(({ id }, i) => id === records[i]?.id);
  };
  const tryAppend = async (stream: string, expected: Revision, records: readonly NewRecord[], tried: number) => {
    const expectedRevision = expected === noStream ? NO_STREAM : BigInt(expected);
    try {
      const appending = client.appendToStream(stream, records.map(eventData), { expectedRevision });
      return (await withDeadline(appending, tryMs)).position?.commit ?? null;
    } catch (error) {
      if (!isWrongRevision(error)) throw error;
      if (tried > 0 && (await storedBefore(stream, expected, records))) return null;
      throw new WrongRevision(stream);
    }
  };

  return {
    append: (stream, expected, records) =>
      retrying(
        (error) => error instanceof WrongRevision,
        (tried) => tryAppend(stream, expected, records, tried),
      ),
    ...reads,
    subscribeToAll: (after) =>
      client.subscribeToAll({
        fromPosition: after === null ? START : position(after),
        filter: excludeSystemEvents(),
      }),
    close: async () => {
      closing.abort();
      release();
      await client.dispose();
    },
  };
};
