import {
  type Deadline,
  type Revision,
  StoreRefuses,
  StreamDeleted,
  TooLarge,
  WrongRevision,
} from '../../application/ports/event-store.js';
import type { EventClient, NewRecord, Server } from './clients/client.js';
import { isFailedPrecondition, isWrongRevision, permanentErrorOf, violatedStream } from './clients/client-errors.js';
import type { Retry } from './retry.js';

/** Append of records to one stream. */
type RecordsWrite = {
  readonly stream: string;
  readonly expected: Revision;
  readonly records: readonly NewRecord[];
};

export type Appends = {
  /**
   * Resolves to the log position of the last record, or null when the server does not report it. Rejects with
   * WrongRevision when the stream is not at the revision `expected`, unless an earlier attempt has stored the same
   * records after that revision. Does not retry after an error that a retry cannot resolve.
   */
  append(
    stream: string,
    expected: Revision,
    records: readonly NewRecord[],
    deadline?: Deadline,
  ): Promise<bigint | null>;
  /**
   * Returns the method by which to append to these streams atomically: `reservations` if the server has no RPC for
   * appends to several streams, or if that RPC mistakes two of these names for one stream.
   */
  multiStreamMethodFor(streams: readonly string[], deadline?: Deadline): Promise<Server['multiStreamMethod']>;
  /**
   * Appends to all streams or to none, with one call to the server. Resolves and rejects as `append` does.
   */
  appendMany(writes: readonly RecordsWrite[], method: NativeMethod, deadline?: Deadline): Promise<bigint | null>;
};
export type NativeMethod = Exclude<Server['multiStreamMethod'], 'reservations'>;

/** Reads the ids of a stream's records from a revision on. */
type ReadIds = (stream: string, from: number, count: number, deadline?: Deadline) => Promise<readonly string[]>;

/** Returns the size of the records in bytes, as the server computes it for its limit on one append. */
export const sizeOf = (records: readonly NewRecord[]) => records.reduce((sum, record) => sum + sizeOfRecord(record), 0);
const sizeOfRecord = ({ type, data, metadata }: NewRecord) =>
  Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata)) + 2 * type.length;

const partBytes = 524_288;
/** Maximum size in bytes of a record that a server can accept, whatever its configuration. */
const maxRecordBytes = 16_777_216;

/** Splits records into appends well below the limit of a server with the default configuration (1 MiB). */
export const splitAppends = function* <T extends NewRecord>(records: readonly T[]) {
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

export const createAppends = (client: EventClient, readIds: ReadIds, retrying: Retry): Appends => {
  /** Returns whether the records are already stored: an earlier attempt whose answer got lost may have stored them. */
  const isStored = async ({ stream, expected, records }: RecordsWrite, deadline?: Deadline) => {
    const ids = await readIds(stream, expected + 1, records.length, deadline);
    return ids.length === records.length && ids.every((id, i) => id === records[i]?.id);
  };

  /**
   * Handles the error of an append. Resolves if an earlier attempt has stored the records. Otherwise throws the
   * matching error of the event-store port, or the original error if there is none.
   */
  const orStored = async (error: unknown, write: RecordsWrite, tried: number, deadline?: Deadline) => {
    const { stream, records } = write;
    if (!isWrongRevision(error)) throw permanentErrorOf(error, { stream, bytes: sizeOf(records) }) ?? error;
    if (tried > 0 && (await isStored(write, deadline))) return null;
    throw new WrongRevision(stream);
  };

  const areStored = async (writes: readonly RecordsWrite[], deadline?: Deadline) => {
    for (const write of writes) if (!(await isStored(write, deadline))) return false;
    return true;
  };
  const orAllStored = async (error: unknown, writes: readonly RecordsWrite[], tried: number, deadline?: Deadline) => {
    if (tried === 0 && isFailedPrecondition(error)) {
      // Nodes that lost the leadership reject an append. A read that requires the leader connects the client to the new
      // leader before the next attempt.
      await areStored(writes, deadline);
      throw error;
    }
    const stream = violatedStream(error) ?? writes[0]?.stream ?? '';
    const bytes = writes.reduce((sum, { records }) => sum + sizeOf(records), 0);
    if (!isWrongRevision(error)) throw permanentErrorOf(error, { stream, bytes }) ?? error;
    if (await areStored(writes, deadline)) return null;
    throw new WrongRevision(stream);
  };
  let known: Server['multiStreamMethod'] | undefined = client.appendMany ? undefined : 'reservations';

  return {
    multiStreamMethodFor: async (streams, deadline) => {
      known ??= (await retrying({ isFinal, deadline }, ({ inTime }) => inTime(client.server()))).multiStreamMethod;
      // The RPC of the server for appends to several streams mistakes names that differ only in case for one stream.
      const isAmbiguous = new Set(streams.map((name) => name.toLowerCase())).size < streams.length;
      return isAmbiguous ? 'reservations' : known;
    },
    appendMany: (writes, method, deadline) => {
      const bytes = writes.reduce((sum, { records }) => sum + sizeOf(records), 0);
      const appended = async () => (await client.appendMany?.(writes, method)) ?? null;
      return retrying({ isFinal, deadline, bytes }, ({ tried, inTime }) =>
        inTime(appended()).catch((error: unknown) => orAllStored(error, writes, tried, deadline)),
      );
    },
    append: async (stream, expected, records, deadline) => {
      const write = { stream, expected, records };
      const largest = Math.max(...records.map(sizeOfRecord));
      if (largest > maxRecordBytes) throw new TooLarge(largest, maxRecordBytes);
      return retrying({ isFinal, deadline, bytes: sizeOf(records) }, ({ tried, inTime }) =>
        inTime(client.append(write)).catch((error: unknown) => orStored(error, write, tried, deadline)),
      );
    },
  };
};
