import type { AllStreamResolvedEvent, EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import { type Deadline, MissingEvents } from '../../application/ports/event-store.js';
import { type Deadlines, defaultDeadlines } from '../deadlines.js';
import { type Appends, createAppends } from './appends.js';
import type { EventClient, Server } from './clients/client.js';
import { isDeletedStream, isMissingStream, isRejectedPosition, permanentErrorOf } from './clients/client-errors.js';
import { BACKWARDS, END, FORWARDS, START, streamsOf, wrappedMetadata } from './clients/constants.js';
import { guardProcess } from './clients/guard.js';
import { openClient } from './clients/open.js';
import { createPages, type Page, pageBytes, type Reading } from './pages.js';
import { createRetry } from './retry.js';

/** Record as the server stores it: a plain event, or a record of the commit protocol (records.ts). */
export type RawRecord = {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly time: number;
  /** Number of records of the same append that follow this record. */
  readonly remaining: number;
  /** Log position. Always known when reading $all; `null` with some server versions when reading a stream. */
  readonly commit: bigint | null;
  /** Revision in the stream that was read. For a record found through a link, the revision of the link. */
  readonly readRevision: number;
  /** Size of the data as JSON in UTF-8, in bytes. */
  readonly bytes: number;
};

export type Connection = Appends &
  Pick<EventClient, 'appendInOrder'> & {
    readonly deadlines: Deadlines;
    /** Reads at most `count` records of a stream. Rejects with MissingEvents when records are missing. */
    readStream(stream: string, options?: ReadOptions): Promise<readonly RawRecord[]>;
    /** Reads one page of a stream, which ends after `count` records or `pageBytes`. */
    readPage(stream: string, options: ReadOptions & { readonly count: number }): Promise<Page<RawRecord>>;
    /**
     * Reads a page forwards, starting with the record at a position. Resolves to null when no record is at that
     * position.
     */
    readAll(from: bigint | null, count: number): Promise<Page<RawRecord> | null>;
    /** Reads a page backwards. An empty page means that the log has no earlier records. */
    readAllBackwards(before: bigint | null, count: number): Promise<readonly RawRecord[]>;
    /**
     * Subscribes to the records of all streams whose names begin with the prefix; without a prefix, to all records
     * except the server's own. Any node of a cluster may serve the subscription, even one that lags behind. `passed`
     * receives positions up to which all matching records were sent.
     */
    subscribeToAll(
      after: bigint | null,
      passed: (commit: bigint) => void,
      prefix?: string,
    ): ReturnType<EventStoreDBClient['subscribeToAll']>;
    /** Converts a record that a subscription delivered. Returns null for a link whose target is missing. */
    recordOf(resolved: Sent): RawRecord | null;
    /** Resolves to the product and version of the server; rejects after `timeoutMs`. */
    server(timeoutMs?: number): Promise<Server>;
    close(): Promise<void>;
  };
type ReadOptions = {
  from?: number;
  count?: number;
  newestFirst?: boolean;
  resolveLinks?: boolean;
  deadline?: Deadline | undefined;
};

/** Metadata field of an adopted event: commit time in the store that it was copied from, in Unix ms. */
export const committedAt = 'chainfold.committedAt';

/**
 * Metadata field of every event of an append but the last: number of events that follow. The server does not report it.
 */
export const remainingAfter = 'chainfold.remaining';

const partsOf = (created: Date, metadata: unknown): Pick<RawRecord, 'time' | 'metadata' | 'remaining'> => {
  const stored = Object(metadata) as Record<string, unknown>;
  const { [wrappedMetadata]: text } = stored;
  const fields = typeof text === 'string' ? (JSON.parse(text) as Record<string, unknown>) : stored;
  const { [committedAt]: before, [remainingAfter]: remaining, ...own } = fields;
  return {
    metadata: own,
    time: typeof before === 'number' ? before : created.getTime(),
    remaining: typeof remaining === 'number' ? remaining : 0,
  };
};

const unknownPosition = 0xffff_ffff_ffff_ffffn;

const bytesOf = (data: unknown) => (data instanceof Uint8Array ? data.length : Buffer.byteLength(JSON.stringify(data)));

type Sent = ResolvedEvent | AllStreamResolvedEvent;

const rawRecord = ({ event, link }: Sent): RawRecord | null =>
  event
    ? {
        stream: event.streamId,
        revision: Number(event.revision),
        id: event.id,
        type: event.type,
        data: event.data,
        ...partsOf(event.created, event.metadata),
        commit: event.position && event.position.commit !== unknownPosition ? event.position.commit : null,
        readRevision: Number((link ?? event).revision),
        bytes: bytesOf(event.data),
      }
    : null;

/** Returns the record that was sent. Rejects a link without an event, because its target was deleted. */
const sentRecord = (sent: Sent): RawRecord => {
  const raw = rawRecord(sent);
  if (raw) return raw;
  const target = Buffer.from((sent.link?.data ?? []) as Uint8Array).toString('utf8');
  const [revision, ...name] = target.split('@');
  throw new MissingEvents(name.join('@'), `event ${revision}, which ${sent.link?.streamId} links to, is missing`);
};

/** Creates a check that the records of a stream arrive without gaps, starting with `first` when it is known. */
const inOrder = (stream: string, first: number | undefined, step: 1 | -1) => {
  let next = first;
  return (sent: Sent): RawRecord => {
    const raw = sentRecord(sent);
    if (next !== undefined && raw.readRevision !== next)
      throw new MissingEvents(stream, `expected event ${next}, found event ${raw.readRevision}`);
    next = raw.readRevision + step;
    return raw;
  };
};

/**
 * Number of records (a window) that the server filters at a time for a subscription, and number of windows between two
 * checkpoints.
 */
const searching = { maxSearchWindow: 500, checkpointInterval: 4 };
const position = (commit: bigint) => ({ commit, prepare: commit });

/** Creates reads that go to the leader, because other nodes may lag behind acknowledged appends. */
const createReads = (client: EventClient, closing: AbortSignal, deadlines: Deadlines) => {
  const collectPage = createPages(closing, deadlines);
  const requiresLeader = true;

  const streamSource = (stream: string, { from, newestFirst, resolveLinks }: ReadOptions) => {
    const [direction, start, step] = newestFirst ? ([BACKWARDS, END, -1] as const) : ([FORWARDS, START, 1] as const);
    const open = (last: RawRecord | undefined, left: number) => {
      const revision = last ? last.readRevision + step : from;
      const fromRevision = revision === undefined ? start : BigInt(revision);
      const maxCount = Math.min(left, Number.MAX_SAFE_INTEGER);
      const options = { direction, fromRevision, maxCount, resolveLinkTos: resolveLinks ?? false, requiresLeader };
      return client.readStream(stream, options) as unknown as Reading<Sent>;
    };
    const found = inOrder(stream, from ?? (newestFirst ? undefined : 0), step);
    const isLast = ({ readRevision }: RawRecord) => step < 0 && readRevision === 0;
    const isAnswer = (error: unknown) =>
      isMissingStream(error) || permanentErrorOf(error, { stream, bytes: 0 }) !== null;
    return { open, found, isLast, isAnswer };
  };
  const streamPage = async (stream: string, options: ReadOptions, bytes: number) => {
    const { count = Number.POSITIVE_INFINITY } = options;
    try {
      return await collectPage({ count, bytes }, streamSource(stream, options), options.deadline);
    } catch (error) {
      if (isMissingStream(error)) return { records: [], isEnd: true };
      if (isDeletedStream(error)) throw new MissingEvents(stream, 'the stream was deleted permanently');
      throw permanentErrorOf(error, { stream, bytes: 0 }) ?? error;
    }
  };

  const allPage = async (direction: typeof FORWARDS | typeof BACKWARDS, from: bigint | null, count: number) => {
    const start = direction === FORWARDS ? START : END;
    const open = (last: RawRecord | undefined, left: number) => {
      const commit = last?.commit ?? from;
      const fromPosition = commit === null ? start : position(commit);
      // Resumed forward reads request one more record, because they start with the last record that was already
      // received.
      const maxCount = last && direction === FORWARDS ? left + 1 : left;
      return client.readAll({ direction, fromPosition, maxCount, requiresLeader }) as unknown as Reading<Sent>;
    };
    const found = (sent: Sent, last: RawRecord | undefined) => {
      const raw = sentRecord(sent);
      return raw.commit === last?.commit ? null : raw;
    };
    let refusals = 0;
    // The server uses the same error for an unknown position and for a failure, so the read is repeated once.
    const isAnswer = (error: unknown) => from !== null && isRejectedPosition(error) && ++refusals > 1;
    try {
      return await collectPage({ count, bytes: pageBytes }, { open, found, isAnswer });
    } catch (error) {
      if (refusals > 1) return null;
      throw error;
    }
  };

  const readStream: Connection['readStream'] = async (stream, options = {}) =>
    (await streamPage(stream, options, Number.POSITIVE_INFINITY)).records;
  const readPage: Connection['readPage'] = (stream, options) => streamPage(stream, options, pageBytes);
  const readAll: Connection['readAll'] = (from, count) => allPage(FORWARDS, from, count);
  const readAllBackwards: Connection['readAllBackwards'] = async (before, count) =>
    (await allPage(BACKWARDS, before, count))?.records ?? [];
  return { readStream, readPage, readAll, readAllBackwards };
};

export const connect = async (url: string, deadlines = defaultDeadlines): Promise<Connection> => {
  const client = await openClient(url, deadlines.abandonedMs);
  const release = guardProcess();
  const closing = new AbortController();
  const reads = createReads(client, closing.signal, deadlines);
  const readIds: Parameters<typeof createAppends>[1] = async (stream, from, count, deadline) =>
    (await reads.readStream(stream, { from, count, deadline })).map(({ id }) => id);

  return {
    deadlines,
    ...createAppends(client, readIds, createRetry(deadlines)),
    ...reads,
    server: client.server,
    appendInOrder: client.appendInOrder,
    subscribeToAll: (after, passed, prefix = '') =>
      client.subscribeToAll({
        fromPosition: after === null ? START : position(after),
        filter: streamsOf(prefix, {
          ...searching,
          checkpointReached: async (_, { commit }) => passed(commit),
        }),
      }),
    recordOf: rawRecord,
    close: async () => {
      closing.abort();
      release();
      await client.dispose();
    },
  };
};
