import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Log, StoredEvent } from './log.js';
import { streamNameIn } from './messages.js';

export type ReadRequest = {
  /** Absent when all streams are read. */
  readonly stream: string | undefined;
  /** Grows while a subscription follows it. */
  readonly source: readonly StoredEvent[];
  /** Index in the source of the first event to look at. */
  readonly first: number;
  readonly step: 1 | -1;
  readonly count: number;
  readonly subscription: boolean;
  readonly resolveLinks: boolean;
  readonly matches: (event: StoredEvent) => boolean;
  /** Events looked at between two checkpoints. */
  readonly checkpointEvery: number;
};

type Reach = { readonly backwards: boolean; readonly subscription: boolean };
type From = { hasStart(): boolean; hasEnd(): boolean };

const defaultSearchWindow = 32;

export const readRequest = (log: Log, request: ReadReq): ReadRequest => {
  const options = request.getOptions() ?? new streams.ReadReq.Options();
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const subscription = options.hasSubscription();
  const reach = { backwards, subscription };
  return {
    ...(options.hasStream() ? ofStream(log, options, reach) : ofAll(log, options, reach)),
    step: backwards ? -1 : 1,
    count: subscription ? Number.POSITIVE_INFINITY : Number(options.getCount()),
    subscription,
    resolveLinks: options.getResolveLinks(),
    matches: filterIn(options),
    checkpointEvery: checkpointInterval(options),
  };
};

const ofStream = (log: Log, options: ReadReq.Options, { backwards, subscription }: Reach) => {
  const from = options.getStream() ?? new streams.ReadReq.Options.StreamOptions();
  const stream = streamNameIn(from.getStreamIdentifier());
  const source = log.stream(stream);
  const revision = Number(from.getRevision());
  // Revisions count from 0, so they are indexes. A read starts at the one given, a subscription after it.
  const given = backwards ? Math.min(revision, source.length - 1) : subscription ? revision + 1 : revision;
  return { stream, source, first: edge(from, source, backwards, 0) ?? given };
};

const ofAll = (log: Log, options: ReadReq.Options, { backwards, subscription }: Reach) => {
  const from = options.getAll() ?? new streams.ReadReq.Options.AllOptions();
  const position = BigInt(from.getPosition()?.getCommitPosition() ?? 0);
  const source = log.all;
  const at = indexFrom(source, position);
  // A subscription starts after the position, a read at it, and a backwards read with what lies before it.
  const given = backwards ? at - 1 : subscription && source[at]?.position === position ? at + 1 : at;
  return { stream: undefined, source, first: edge(from, source, backwards, -1) ?? given };
};

/** The index of a start or end asked for by name; backwards from the start a stream has its first event left. */
const edge = (from: From, source: readonly StoredEvent[], backwards: boolean, lowest: number) => {
  if (from.hasEnd()) return backwards ? source.length - 1 : source.length;
  if (from.hasStart()) return backwards ? lowest : 0;
  return undefined;
};

/** Index of the first event at a position or after it, by halving. */
const indexFrom = (source: readonly StoredEvent[], position: bigint): number => {
  let [low, high] = [0, source.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((source[middle]?.position ?? position) < position) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Filters look at the stored event, before a link is resolved. */
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
