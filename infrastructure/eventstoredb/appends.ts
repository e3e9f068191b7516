import {
  type Patience,
  type Revision,
  StoreRefuses,
  StreamDeleted,
  TooLarge,
  WrongRevision,
} from '../../application/ports/event-store.js';
import { type EventClient, maxCallMs, type NewRecord, type Server } from './clients/client.js';
import { isPrecondition, isWrongRevision, refusalOf, violatedStream } from './clients/refusals.js';
import { retrying } from './retry.js';

/** Append of records to one stream. */
type RecordsWrite = {
  readonly stream: string;
  readonly expected: Revision;
  readonly records: readonly NewRecord[];
};

export type Appends = {
  /**
   * Resolves to the log position of the last record written, or null where the server does not report it. Rejects with
   * WrongRevision, unless these very records are stored there, and at once with what no retry can change.
   */
  append(
    stream: string,
    expected: Revision,
    records: readonly NewRecord[],
    patience?: Patience,
  ): Promise<bigint | null>;
  /** Tells how the server appends to these streams at once; `reservations` where it cannot. */
  wayFor(streams: readonly string[], patience?: Patience): Promise<Server['way']>;
  /** Appends to all the streams or to none, by the server's own way; resolves as `append`. */
  appendMany(writes: readonly RecordsWrite[], way: ServersWay, patience?: Patience): Promise<bigint | null>;
};
export type ServersWay = Exclude<Server['way'], 'reservations'>;

/** Reads the ids of a stream's records from a revision on. */
type ReadIds = (stream: string, from: number, count: number, patience?: Patience) => Promise<readonly string[]>;

/** Bytes of records as the server counts them against its bound on one append. */
export const sizeOf = (records: readonly NewRecord[]) => records.reduce((sum, record) => sum + sizeOfRecord(record), 0);
const sizeOfRecord = ({ type, data, metadata }: NewRecord) =>
  Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata)) + 2 * type.length;

const partBytes = 524_288;
/** Bytes of the largest record that any server takes, however it is configured. */
const maxRecordBytes = 16_777_216;

/** Cuts records into appends that are well below the bound of a server with the default configuration (1 MiB). */
export const inParts = function* <T extends NewRecord>(records: readonly T[]) {
  let part: T[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = sizeOfRecord(record);
    if (part.length > 0 && bytes + size > partBytes) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(record);
    bytes += size;
  }
  yield part;
};

const finalErrors = [WrongRevision, TooLarge, StreamDeleted, StoreRefuses];
const isFinal = (error: unknown) => finalErrors.some((kind) => error instanceof kind);

export const createAppends = (client: EventClient, readIds: ReadIds): Appends => {
  /** Tells whether these records are already stored: an earlier try whose answer got lost may have moved the stream. */
  const isStored = async ({ stream, expected, records }: RecordsWrite, patience?: Patience) => {
    const ids = await readIds(stream, expected + 1, records.length, patience);
    return ids.length === records.length && ids.every((id, i) => id === records[i]?.id);
  };

  /** Resolves where an error is no failure, because the records are stored; throws it in the words of the port else. */
  const orStored = async (error: unknown, write: RecordsWrite, tried: number, patience?: Patience) => {
    const { stream, records } = write;
    if (!isWrongRevision(error)) throw refusalOf(error, { stream, bytes: sizeOf(records) }) ?? error;
    if (tried > 0 && (await isStored(write, patience))) return null;
    throw new WrongRevision(stream);
  };

  const areStored = async (writes: readonly RecordsWrite[], patience?: Patience) => {
    for (const write of writes) if (!(await isStored(write, patience))) return false;
    return true;
  };
  const orAllStored = async (error: unknown, writes: readonly RecordsWrite[], tried: number, patience?: Patience) => {
    if (tried === 0 && isPrecondition(error)) {
      // A node that leads no more refuses so; a read of the leader makes the client connect to that one.
      await areStored(writes, patience);
      throw error;
    }
    const stream = violatedStream(error) ?? writes[0]?.stream ?? '';
    const bytes = writes.reduce((sum, { records }) => sum + sizeOf(records), 0);
    if (!isWrongRevision(error)) throw refusalOf(error, { stream, bytes }) ?? error;
    if (await areStored(writes, patience)) return null;
    throw new WrongRevision(stream);
  };
  let known: Server['way'] | undefined = client.appendMany ? undefined : 'reservations';

  return {
    wayFor: async (streams, patience) => {
      known ??= (await retrying({ isFinal, patience }, (_tried, inTime) => inTime(client.server(maxCallMs)))).way;
      // The server takes streams whose names differ in case alone for one stream within an append.
      const isAmbiguous = new Set(streams.map((name) => name.toLowerCase())).size < streams.length;
      return isAmbiguous ? 'reservations' : known;
    },
    appendMany: (writes, way, patience) => {
      const bytes = writes.reduce((sum, { records }) => sum + sizeOf(records), 0);
      const appended = async () => (await client.appendMany?.(writes, way)) ?? null;
      return retrying({ isFinal, patience, bytes }, (tried, inTime) =>
        inTime(appended()).catch((error: unknown) => orAllStored(error, writes, tried, patience)),
      );
    },
    append: async (stream, expected, records, patience) => {
      const write = { stream, expected, records };
      const largest = Math.max(...records.map(sizeOfRecord));
      if (largest > maxRecordBytes) throw new TooLarge(largest, maxRecordBytes);
      return retrying({ isFinal, patience, bytes: sizeOf(records) }, (tried, inTime) =>
        inTime(client.append(write)).catch((error: unknown) => orStored(error, write, tried, patience)),
      );
    },
  };
};
