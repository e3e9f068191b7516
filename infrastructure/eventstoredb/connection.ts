import type { AllStreamResolvedEvent, EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client';
import { MissingEvents, type Patience } from '../../application/ports/event-store.js';
import { type Appends, createAppends } from './appends.js';
import type { EventClient, Server } from './clients/client.js';
import { guardAgainstClient } from './clients/guard.js';
import { openClient } from './clients/open.js';
import { isDeletedStream, isMissingStream, isRefusedPosition, refusalOf } from './clients/refusals.js';
import { BACKWARDS, END, FORWARDS, START, streamsOf, wrappedMetadata } from './clients/words.js';
import { createPages, type Page, pageBytes, type Reading } from './pages.js';

/** A record of the store, before the commit protocol is applied. */
export type RawRecord = {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
  readonly time: number;
  /** Number of records of the same append that follow this one. */
  readonly remaining: number;
  /** Log position; always known when reading $all, and only with some server versions when reading a stream. */
  readonly commit: bigint | null;
  /** Revision in the stream that was read: that of the link where the record was found through one. */
  readonly place: number;
  /** Bytes of the data as JSON in UTF-8. */
  readonly bytes: number;
};

export type Connection = Appends &
  Pick<EventClient, 'appendInOrder'> & {
    /** Reads a stream, or as many of its records as asked for; rejects with MissingEvents where some are absent. */
    readStream(stream: string, options?: ReadOptions): Promise<readonly RawRecord[]>;
    /** Reads on in a stream, no further than is good for one page. */
    readPage(stream: string, options: ReadOptions & { readonly count: number }): Promise<Page<RawRecord>>;
    /** Reads a page forwards from a position, including the record at it; null where no record begins there. */
    readAll(from: bigint | null, count: number): Promise<Page<RawRecord> | null>;
    /** Reads a page backwards; the log has no more when the page is empty. */
    readAllBackwards(before: bigint | null, count: number): Promise<readonly RawRecord[]>;
    /**
     * Subscribes to the records of streams whose names begin with the prefix, or without one of all that are not the
     * server's own, on whatever node answers, which may be behind.
     * `passed` is called with positions up to which all such records were sent.
     */
    subscribeToAll(
      after: bigint | null,
      passed: (commit: bigint) => void,
      prefix?: string,
    ): ReturnType<EventStoreDBClient['subscribeToAll']>;
    /** Reads a record that a subscription has delivered; null for a link that leads nowhere. */
    recordOf(resolved: Sent): RawRecord | null;
    /** Says which server answers; rejects after so many ms. */
    server(deadlineMs: number): Promise<Server>;
    close(): Promise<void>;
  };
type ReadOptions = {
  from?: number;
  count?: number;
  newestFirst?: boolean;
  resolveLinks?: boolean;
  patience?: Patience | undefined;
};

/** Metadata field of an adopted event: when the store it came from committed it. */
export const committedAt = 'chainfold.committedAt';

/** Metadata field of every event of an append but the last: how many follow, which the server does not report. */
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
        place: Number((link ?? event).revision),
        bytes: bytesOf(event.data),
      }
    : null;

/** Returns the record that was sent; a link that comes alone points to an event that is not there any more. */
const sentRecord = (sent: Sent): RawRecord => {
  const raw = rawRecord(sent);
  if (raw) return raw;
  const target = Buffer.from((sent.link?.data ?? []) as Uint8Array).toString('utf8');
  const [revision, ...name] = target.split('@');
  throw new MissingEvents(name.join('@'), `event ${revision}, to which ${sent.link?.streamId} links, is not there`);
};

/** Checks that the records of a stream come without gap, from the first revision on where that is known. */
const inOrder = (stream: string, first: number | undefined, step: 1 | -1) => {
  let next = first;
  return (sent: Sent): RawRecord => {
    const raw = sentRecord(sent);
    if (next !== undefined && raw.place !== next)
      throw new MissingEvents(stream, `it has event ${raw.place} where event ${next} should be`);
    next = raw.place + step;
    return raw;
  };
};

/** Records that the server looks through at a time for a subscription, and how often it says how far it has come. */
const searching = { maxSearchWindow: 500, checkpointInterval: 4 };
const position = (commit: bigint) => ({ commit, prepare: commit });

/** Reads of the leader alone, since another node may be behind what was acknowledged. */
const createReads = (client: EventClient, closing: AbortSignal) => {
  const collectPage = createPages(closing);
  const requiresLeader = true;

  const streamSource = (stream: string, { from, newestFirst, resolveLinks }: ReadOptions) => {
    const [direction, start, step] = newestFirst ? ([BACKWARDS, END, -1] as const) : ([FORWARDS, START, 1] as const);
    const open = (last: RawRecord | undefined, left: number) => {
      const revision = last ? last.place + step : from;
      const fromRevision = revision === undefined ? start : BigInt(revision);
      const maxCount = Math.min(left, Number.MAX_SAFE_INTEGER);
      const options = { direction, fromRevision, maxCount, resolveLinkTos: resolveLinks ?? false, requiresLeader };
      return client.readStream(stream, options) as unknown as Reading<Sent>;
    };
    const found = inOrder(stream, from ?? (newestFirst ? undefined : 0), step);
    const isLast = ({ place }: RawRecord) => step < 0 && place === 0;
    const isAnswer = (error: unknown) => isMissingStream(error) || refusalOf(error, { stream, bytes: 0 }) !== null;
    return { open, found, isLast, isAnswer };
  };
  const streamPage = async (stream: string, options: ReadOptions, bytes: number) => {
    const { count = Number.POSITIVE_INFINITY } = options;
    try {
      return await collectPage({ count, bytes }, streamSource(stream, options), options.patience);
    } catch (error) {
      if (isMissingStream(error)) return { records: [], isEnd: true };
      if (isDeletedStream(error)) throw new MissingEvents(stream, 'it was deleted for good');
      throw refusalOf(error, { stream, bytes: 0 }) ?? error;
    }
  };

  const allPage = async (direction: typeof FORWARDS | typeof BACKWARDS, from: bigint | null, count: number) => {
    const start = direction === FORWARDS ? START : END;
    const open = (last: RawRecord | undefined, left: number) => {
      const commit = last?.commit ?? from;
      const fromPosition = commit === null ? start : position(commit);
      // A read forwards begins with the record at the position, which is known when the read is continued.
      const maxCount = last && direction === FORWARDS ? left + 1 : left;
      return client.readAll({ direction, fromPosition, maxCount, requiresLeader }) as unknown as Reading<Sent>;
    };
    const found = (sent: Sent, last: RawRecord | undefined) => {
      const raw = sentRecord(sent);
      return raw.commit === last?.commit ? null : raw;
    };
    let refusals = 0;
    // The server has the same words for a position that it does not know and for a failure, so it is asked twice.
    const isAnswer = (error: unknown) => from !== null && isRefusedPosition(error) && ++refusals > 1;
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

export const connect = async (url: string): Promise<Connection> => {
  const client = await openClient(url);
  const release = guardAgainstClient();
  const closing = new AbortController();
  const reads = createReads(client, closing.signal);
  const readIds: Parameters<typeof createAppends>[1] = async (stream, from, count, patience) =>
    (await reads.readStream(stream, { from, count, patience })).map(({ id }) => id);

  return {
    ...createAppends(client, readIds),
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
