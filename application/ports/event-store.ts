import type { Message } from '../../domain/decider.js';
import { Failure, StoreDown } from '../../domain/failure.js';

/**
 * Place in the global order of events. Positions grow but have gaps: compare positions, never compute the next
 * position.
 */
export type Position = number;
export const beginning: Position = 0;

/** Revision of a stream, returned by `read` and expected by `append`; `noStream` for an empty stream. */
export type Revision = number;
export const noStream: Revision = -1;

/** Inclusive upper bound of the events to read: a position or a commit time (Unix ms). */
export type Moment = { readonly position: Position } | { readonly time: number };
/** Moment after every event. */
export const now: Moment = { position: Number.MAX_SAFE_INTEGER };
/** Position of a commit and its commit time (Unix ms). */
export type Commit = { readonly position: Position; readonly time: number };

/**
 * Returns a function that returns whether a commit is at or before a moment. A moment given as a time includes every
 * commit up to the last commit with that time or an earlier time. Commit times go back only at corrections of the
 * clock, so some of the included commits may have a later time.
 */
export const commitsUpTo = (moment: Moment, corrections: readonly Commit[]): ((commit: Commit) => boolean) => {
  if ('position' in moment) return ({ position }) => position <= moment.position;
  const last = corrections.findLastIndex(({ time }) => time <= moment.time);
  const [since, next] = [corrections[last]?.position ?? beginning, corrections[last + 1]?.position];
  return ({ position, time }) => (next === undefined || position < next) && (position <= since || time <= moment.time);
};

export type Actor = { readonly kind: 'credential' | 'operator' | 'process'; readonly id: string };

export type Metadata = {
  readonly organizationId: string;
  readonly variant: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly causationId: string;
  readonly correlationId: string;
  readonly occurredAt: string;
  /**
   * Digest of the seed that belongs to the request's idempotency key. By this digest, a retry of the request recognizes
   * the events that an earlier attempt stored.
   */
  readonly seed?: string;
  /** Version of the shape in which the event's data was stored; 1 when absent. */
  readonly version?: number;
  /** Trace context (W3C) of the command that stored the event; absent unless that command was traced. */
  readonly traceparent?: string;
};

/** Event to append; the writer chooses `id` (a UUID), so that a write sent twice is stored once. */
export type NewEvent = Message & {
  readonly id: string;
  readonly metadata: Metadata;
  /**
   * Message authentication code, which nobody can compute without the master key; absent from events of earlier
   * releases. Stored beside the metadata, because all events of an append share one metadata object.
   */
  readonly mac?: string;
};
export type Recorded = NewEvent & {
  readonly stream: string;
  readonly position: Position;
  /** Commit time in Unix ms; never decreases from one position to the next, except at a ClockCorrected event. */
  readonly time: number;
  /** Size in bytes of the data as JSON in UTF-8, in the shape in which the data was stored. */
  readonly bytes: number;
};

export type StreamWrite = {
  readonly stream: string;
  readonly expected: Revision;
  readonly events: readonly NewEvent[];
  /**
   * Allows a store that bounds the size of an append to split the events over several appends, in order. After an
   * interruption, possibly only the first events are stored, so the writer must be able to find out which events are
   * missing.
   */
  readonly divisible?: true | undefined;
};

/**
 * Deadline of one command at a remote store, shared by all calls of the command. Each call that succeeds renews the
 * deadline.
 */
export type Deadline = {
  /** Returns the milliseconds that are left; 0 or less when the deadline has passed. */
  left(): number;
  renew(): void;
};

export interface EventStore {
  /** Starts the deadline of a command; absent where the store does not wait for a server. */
  deadline?(): Deadline;
  /**
   * True where a rejected append to several streams leaves no data in the store. In other stores, callers read the
   * streams before they append, to avoid conflicts.
   */
  readonly rejectsWithoutTrace?: true;
  /**
   * Appends to all the streams or to none, durably, and returns a position that includes the appended events. Rejects
   * with WrongRevision when a stream is not at its expected revision, unless these very events were stored there
   * before. Rejects with TooLarge, and stores nothing, when the events exceed the size limit of one append. Rejects
   * with StreamDeleted or StoreRefuses when no retry can succeed, and with StoreDown when the deadline passes. All
   * streams belong to one organization or to `system`.
   */
  append(writes: readonly StreamWrite[], deadline?: Deadline): Promise<Position>;
  /**
   * Copies events of another store to the end of this store, in the given order and with their commit times. No other
   * writer may use the streams meanwhile. If the call is interrupted, possibly only the first few of `events` are
   * stored.
   */
  adopt(events: readonly Recorded[]): Promise<void>;
  read(
    stream: string,
    deadline?: Deadline,
  ): Promise<{ readonly events: readonly NewEvent[]; readonly revision: Revision }>;
  /**
   * Yields the events after a position, in order and in batches; ends at the last event. `after` must be the position
   * of an event or `beginning`, as it must in `subscribe`: a store may reject any other position with UnknownPosition.
   */
  readAll(after: Position): AsyncIterable<readonly Recorded[]>;
  /**
   * Yields the events of one organization after any position. The cost depends on that organization alone. The result
   * ends with the events stored when reading began and has no gaps.
   */
  readOrganization(organizationId: string, after: Position): AsyncIterable<readonly Recorded[]>;
  /** Yields the events of an organization up to a moment, newest first, reading no further than the caller iterates. */
  readOrganizationBackwards(organizationId: string, upTo: Moment): AsyncIterable<readonly Recorded[]>;
  /**
   * Yields the events after a position, and then new events of any process as they are appended, until the signal
   * fires.
   */
  subscribe(after: Position, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;
  /**
   * Returns the position of the last event. A cluster is asked through its leader, because other members may be behind.
   */
  head(): Promise<Position>;
  /** Returns the last event; null when the store is empty. */
  newest(): Promise<Recorded | null>;
  /**
   * Counts the events after a position. A store that has to count event by event may stop at ten thousand. For a
   * position that the store does not know, all events count.
   */
  countAfter(position: Position): Promise<number>;
  /**
   * Describes an inconsistency of the store itself: a damaged file, or an event with an owner, position or revision
   * that does not match its stream (readers skip such events). Null for a consistent store. Checks one organization, or
   * all when the id is null. `quick` is cheap enough for every seal; `full` also reads every index. Absent where a
   * server alone assigns owner, position and revision, so that clients cannot write them.
   */
  disorder?(organizationId: string | null, depth: 'quick' | 'full'): Promise<string | null>;
  close(): Promise<void>;
}

/** Subset of the event store for use cases, which read and append single streams. */
export type Streams = Pick<EventStore, 'rejectsWithoutTrace' | 'deadline' | 'append' | 'read' | 'head'>;

/** Thrown when another writer appended first. The caller reads the stream again and repeats its decision. */
export class WrongRevision extends Error {
  override readonly name = 'WrongRevision';
  readonly stream: string;
  constructor(stream: string) {
    super(`Stream ${stream} is not at the expected revision: another writer appended first.`);
    this.stream = stream;
  }
}

/** Thrown when the events of one append exceed the store's size limit; a retry cannot succeed. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  constructor(bytes: number, maxBytes: number | undefined) {
    const bound = maxBytes === undefined ? 'fewer' : `at most ${maxBytes}`;
    super(`The events take ${bytes} bytes; the event store accepts ${bound} in one append.`);
  }
}

/** Thrown for a stream that was deleted in the event store itself; such a stream accepts no more events. */
export class StreamDeleted extends Failure {
  constructor(stream: string) {
    super('FAILED_PRECONDITION', `Stream ${stream} was deleted in the event store and accepts no more events.`);
  }
}

/** Thrown when the event store rejects the service until an operator intervenes (permissions, read-only mode). */
export class StoreRefuses extends StoreDown {}

/**
 * Thrown when a stream lacks events because it was deleted or truncated outside of the service; a retry cannot succeed.
 */
export class MissingEvents extends Error {
  override readonly name = 'MissingEvents';
  readonly stream: string;
  constructor(stream: string, how: string) {
    super(`stream ${stream} lacks events: ${how}`);
    this.stream = stream;
  }
}

/**
 * Thrown when there is no event at the position after which to read, for example after an older backup was restored.
 * Stores whose positions have no gaps never throw this error.
 */
export class UnknownPosition extends Error {
  override readonly name = 'UnknownPosition';
  constructor(position: Position) {
    super(`the event store has no event at position ${position}`);
  }
}

/** Returns `<organizationId>.<aggregate>-<key>`. Only keys may contain dashes and dots. */
export const streamName = (organizationId: string, aggregate: string, key: string) =>
  `${organizationId}.${aggregate}-${key}`;
export const organizationOf = (stream: string) => stream.slice(0, stream.indexOf('.'));

/** Owner of the service's own streams, in place of an organization id. */
export const systemStreams = 'system';
export const clockKey = 'commits';
/** Stream of the ClockCorrected events, which record corrections of commit times. */
export const clockStream = streamName(systemStreams, 'clock', clockKey);
