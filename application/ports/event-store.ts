import type { Message } from '../../domain/decider.js';
import { Failure, StoreDown } from '../../domain/failure.js';

/** Place in the one global order. Positions grow but have gaps: compare them, never compute the next one. */
export type Position = number;
export const beginning: Position = 0;

/** Revision of a stream as `read` returned it, which an append must expect; `noStream` when the stream was empty. */
export type Revision = number;
export const noStream: Revision = -1;

/** Upper bound of a history, inclusive: a position or a commit time (Unix ms). */
export type Moment = { readonly position: Position } | { readonly time: number };
/** Place in the order of commits, and the time that it was given. */
export type Commit = { readonly position: Position; readonly time: number };

/**
 * Returns whether a commit belongs to a moment. A time means everything up to the last position that was committed at or
 * before it; since times go back at the corrections of the clock alone, earlier commits may have later times.
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
  /** Digest of the seed of a request with an idempotency key, by which a retry recognizes its own events. */
  readonly seed?: string;
  /** Version of the shape in which the event's data was stored; 1 when absent. */
  readonly version?: number;
};

/** `id` is a UUID that the writer chose, so that the same write sent twice is stored once. */
export type NewEvent = Message & { readonly id: string; readonly metadata: Metadata };
export type Recorded = NewEvent & {
  readonly stream: string;
  readonly position: Position;
  /** Commit time in Unix ms; never decreases from one position to the next, except at a ClockCorrected. */
  readonly time: number;
  /** Bytes of the data as JSON in UTF-8, in the shape in which it was stored. */
  readonly bytes: number;
};

export type StreamWrite = {
  readonly stream: string;
  readonly expected: Revision;
  readonly events: readonly NewEvent[];
  /**
   * Allows a store that bounds the size of one append to store the events in several, in order. Interrupted, the store
   * holds the first of them, so the writer must be able to tell what is left.
   */
  readonly divisible?: true | undefined;
};

/** Patience of one command with a remote store, shared by its calls: it ends a while after the last that succeeded. */
export type Patience = {
  /** Returns the ms that are left; 0 or less when the patience has ended. */
  left(): number;
  renew(): void;
};

export interface EventStore {
  /** Starts the patience of a command; absent where the store does not wait for a server. */
  patience?(): Patience;
  /**
   * True where a refused append to many streams leaves no trace; elsewhere callers read the streams before they append.
   */
  readonly refusesFreely?: true;
  /**
   * Appends to all the streams or to none, durably, and returns a position that includes them. Rejects with
   * WrongRevision when a stream is not at its expected revision, unless these very events were stored there before.
   * Rejects with TooLarge, and stores nothing, when the events take more bytes than the store takes at once, with
   * StreamDeleted or StoreRefuses when no retry can succeed, and with StoreDown when the patience ends. All streams
   * belong to one organization or to `system`.
   */
  append(writes: readonly StreamWrite[], patience?: Patience): Promise<Position>;
  /**
   * Copies events that another store recorded: after everything stored here, in the given order and with their commit
   * times. Nobody else may write to the streams meanwhile. When interrupted, the first events of the list are stored.
   */
  adopt(events: readonly Recorded[]): Promise<void>;
  read(
    stream: string,
    patience?: Patience,
  ): Promise<{ readonly events: readonly NewEvent[]; readonly revision: Revision }>;
  /**
   * Yields the events after a position, in order and in batches; ends at the last event. Positions to read from, here
   * and below, came from events: a store may reject any other with UnknownPosition.
   */
  readAll(after: Position): AsyncIterable<readonly Recorded[]>;
  /**
   * Yields the events of one organization after a position, at a cost that depends on that organization alone. They end
   * with what was stored when reading began: of the events before the last one, none is absent. Any position will do.
   */
  readOrganization(organizationId: string, after: Position): AsyncIterable<readonly Recorded[]>;
  /** Yields the events of an organization up to a moment, newest first, reading no further than the caller iterates. */
  readOrganizationBackwards(organizationId: string, upTo: Moment): AsyncIterable<readonly Recorded[]>;
  /** Yields the events after a position and then those appended by any process, until the signal fires. */
  subscribe(after: Position, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;
  /** Returns the position of the last event, as whoever takes writes knows it. */
  head(): Promise<Position>;
  /** Returns the last event. */
  newest(): Promise<Recorded | null>;
  /**
   * Counts the events after a position; a store that has to count one by one may stop at ten thousand. After a position
   * that the store does not know come all events.
   */
  countAfter(position: Position): Promise<number>;
  close(): Promise<void>;
}

/** Part of the store that use cases need, which look at single streams. */
export type Streams = Pick<EventStore, 'refusesFreely' | 'patience' | 'append' | 'read' | 'head'>;

/** Conflict with another writer of the stream: read the stream again and decide again. */
export class WrongRevision extends Error {
  override readonly name = 'WrongRevision';
  readonly stream: string;
  constructor(stream: string) {
    super(`stream ${stream} is not at the expected revision`);
    this.stream = stream;
  }
}

/** Thrown when the events of one append take more bytes than the store takes at once; a retry cannot succeed. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  constructor(bytes: number, most: number | undefined) {
    const bound = most === undefined ? 'less' : `at most ${most}`;
    super(`the events take ${bytes} bytes; the event store takes ${bound} in one append`);
  }
}

/** Thrown for a stream that was deleted in the event store itself; it takes no events any more. */
export class StreamDeleted extends Failure {
  constructor(stream: string) {
    super('FAILED_PRECONDITION', `stream ${stream} was deleted in the event store`);
  }
}

/** Thrown when the event store answers, but refuses the service until an operator changes something. */
export class StoreRefuses extends StoreDown {}

/**
 * Thrown when a stream lacks events that it had, because somebody deleted or truncated it behind the service's back; a
 * retry cannot succeed.
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
 * Thrown when no event stands at the position after which to read, as after an older backup of the store was restored.
 * Stores that number their events one by one cannot tell.
 */
export class UnknownPosition extends Error {
  override readonly name = 'UnknownPosition';
  constructor(position: Position) {
    super(`the event store has no event at position ${position}`);
  }
}

/** `<organizationId>.<aggregate>-<key>`: organization ids and aggregate names have no dash or dot, keys may. */
export const streamName = (organizationId: string, aggregate: string, key: string) =>
  `${organizationId}.${aggregate}-${key}`;
export const organizationOf = (stream: string) => stream.slice(0, stream.indexOf('.'));

/** Name that stands for an organization in the streams of the service itself, and the key of the clock's stream there. */
export const systemStreams = 'system';
export const clockKey = 'commits';
/** Stream of the corrections of commit times. */
export const clockStream = streamName(systemStreams, 'clock', clockKey);
