import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from './events.js';
import type { Readable } from './log.js';
import { type IsReadable, streamNameIn } from './messages.js';
import type { Remains } from './remains.js';

export type ReadRequest = {
  /** Name of the stream; undefined when all streams are read. */
  readonly stream: string | undefined;
  /** Events to read from: a list that grows while a subscription follows it. */
  readonly source: readonly StoredEvent[];
  /** Index in `source` of the first event to read. */
  readonly first: number;
  /** Index in `source` of the oldest event that truncation left. */
  readonly lowest: number;
  /** Reason why the server rejects the read; null if it does not. */
  readonly refusal: 'invalid position' | 'stream deleted' | null;
  readonly step: 1 | -1;
  readonly count: number;
  readonly subscription: boolean;
  readonly resolveLinks: boolean;
  readonly matches: (event: StoredEvent) => boolean;
  readonly isReadable: IsReadable;
  /** Number of events between two checkpoint messages to the client; infinite for a read without a filter. */
  readonly checkpointEvery: number;
};

type Cacheability = { readonly backwards: boolean; readonly subscription: boolean };
type From = { hasStart(): boolean; hasEnd(): boolean };

const defaultSearchWindow = 32;

export const readRequest = (log: Readable, request: ReadReq): ReadRequest => {
  const options = request.getOptions() ?? new streams.ReadReq.Options();
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const subscription = options.hasSubscription();
  const reach = { backwards, subscription };
  const { after = -1n, ...place } = options.hasStream() ? ofStream(log, options, reach) : ofAll(log, options, reach);
  const isWanted = filterIn(options);
  return {
    ...place,
    step: backwards ? -1 : 1,
    count: subscription ? Number.POSITIVE_INFINITY : Number(options.getCount()),
    subscription,
    resolveLinks: options.getResolveLinks(),
    matches: (event) => event.position > after && isWanted(event),
    isReadable: ({ stream, revision }) => isVisible(log.remains(stream), revision),
    checkpointEvery: checkpointInterval(options),
  };
};

const isVisible = (remains: Remains, revision: number) => remains.kind === 'visible' && revision >= remains.first;

type Place = Pick<ReadRequest, 'stream' | 'source' | 'first' | 'lowest' | 'refusal'> & { readonly after?: bigint };

const ofStream = (log: Readable, options: ReadReq.Options, { backwards, subscription }: Cacheability): Place => {
  const from = options.getStream() ?? new streams.ReadReq.Options.StreamOptions();
  const stream = streamNameIn(from.getStreamIdentifier());
  const remains = log.remains(stream);
  const source = remains.kind === 'visible' ? log.stream(stream) : [];
  const lowest = remains.kind === 'visible' ? remains.first : 0;
  const revision = Number(from.getRevision());
  // Revisions count from 0, so they are indexes of `source`. A read starts at the requested revision, a subscription
  // after it.
  const given = backwards ? Math.min(revision, source.length - 1) : subscription ? revision + 1 : revision;
  const first = edge(from, source, backwards, 0) ?? given;
  const refusal = remains.kind === 'tombstoned' ? 'stream deleted' : null;
  return { stream, source, first: backwards ? first : Math.max(first, lowest), lowest, refusal };
};

const ofAll = (log: Readable, options: ReadReq.Options, { backwards, subscription }: Cacheability): Place => {
  const from = options.getAll() ?? new streams.ReadReq.Options.AllOptions();
  const position = BigInt(from.getPosition()?.getCommitPosition() ?? 0);
  const source = log.all;
  const at = indexFrom(source, position);
  const isRecord = source[at]?.position === position;
  // A subscription starts after the position, a read at the position, and a backwards read before it.
  const given = backwards ? at - 1 : subscription && isRecord ? at + 1 : at;
  const place = { stream: undefined, source, first: edge(from, source, backwards, -1) ?? given, lowest: 0 };
  if (!from.hasPosition()) return { ...place, refusal: null };
  // A forward read from beyond the end finds nothing, and a subscription waits for events after the position.
  const isBeyond = at === source.length && !backwards;
  return {
    ...place,
    refusal: isRecord || isBeyond ? null : 'invalid position',
    ...(subscription && { after: position }),
  };
};

/** Returns the index at which a read from the start or from the end begins; undefined for reads from other places. */
const edge = (from: From, source: readonly StoredEvent[], backwards: boolean, lowest: number) => {
  if (from.hasEnd()) return backwards ? source.length - 1 : source.length;
  if (from.hasStart()) return backwards ? lowest : 0;
  return undefined;
};

/** Finds the index of the first event at a position or after it, by bisection. */
const indexFrom = (source: readonly StoredEvent[], position: bigint): number => {
  let [low, high] = [0, source.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((source[middle]?.position ?? position) < position) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Reads the filter, which applies to the stored event before a link is resolved. */
const filterIn = (options: ReadReq.Options): ReadRequest['matches'] => {
  const filter = options.getFilter();
  if (!filter) return () => true;
  const field = filter.hasEventType() ? 'type' : 'stream';
  const expression = filter.getEventType() ?? filter.getStreamIdentifier();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = expression?.getRegex() ? new RegExp(expression.getRegex()) : undefined;
  return (event) => (regex ? regex.test(event[field]) : prefixes.some((prefix) => event[field].startsWith(prefix)));
};

const checkpointInterval = (options: ReadReq.Options): number => {
  const filter = options.getFilter();
  if (!filter) return Number.POSITIVE_INFINITY;
  return (filter.getMax() || defaultSearchWindow) * (filter.getCheckpointintervalmultiplier() || 1);
};
