import type { Message } from '../../domain/decider.js';

/** A place in the one global order. Positions grow but have gaps: compare them, never compute the next one. */
export type Position = number;
export const beginning: Position = 0;

/** What an append must expect of its stream: the revision that reading it gave, `noStream` when it was empty. */
export type Revision = number;
export const noStream: Revision = -1;

/** Everything up to a position, or up to a commit time (Unix ms), with it. */
export type Moment = { readonly position: Position } | { readonly time: number };
export const isWithin = (moment: Moment, { position, time }: { position: Position; time: number }) =>
  'position' in moment ? position <= moment.position : time <= moment.time;

export type Actor = { readonly kind: 'credential' | 'operator' | 'process'; readonly id: string };

export type Metadata = {
  readonly organizationId: string;
  readonly variant: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly causationId: string;
  readonly correlationId: string;
  readonly occurredAt: string;
  /** Of the shape that the event's data was stored in; 1 where it is not said. */
  readonly version?: number;
};

/** `id` is a UUID that the writer chose, so that the same write sent twice is stored once. */
export type NewEvent = Message & { readonly id: string; readonly metadata: Metadata };
export type Recorded = NewEvent & {
  readonly stream: string;
  readonly position: Position;
  /** When the store committed it, Unix ms; never goes back from one position to the next. */
  readonly time: number;
};

export type StreamWrite = {
  readonly stream: string;
  readonly expected: Revision;
  readonly events: readonly NewEvent[];
};

export interface EventStore {
  /** Set where an append to many streams that is refused leaves no trace; elsewhere they are read before it is tried. */
  readonly refusesFreely?: true;
  /**
   * Appends to all the streams or to none, durably, and gives the position that includes it. Rejects with WrongRevision
   * when a stream is not at its expected revision, unless it is there because these very events were stored before.
   * The streams belong to one organization, some perhaps to `system`.
   */
  append(writes: readonly StreamWrite[]): Promise<Position>;
  /**
   * Takes over what another store recorded: after everything that is here, in the order given and with the times at which
   * that store committed it. The streams are nobody else's meanwhile. Interrupted, it leaves the first ones of them.
   */
  adopt(events: readonly Recorded[]): Promise<void>;
  read(stream: string): Promise<{ readonly events: readonly NewEvent[]; readonly revision: Revision }>;
  /** What the store holds after a position, in order, in batches; ends when it is caught up. */
  readAll(after: Position): AsyncIterable<readonly Recorded[]>;
  /** The same for one organization; its cost is that organization's, not everybody's. */
  readOrganization(organizationId: string, after: Position): AsyncIterable<readonly Recorded[]>;
  /** What an organization's history held at a moment, newest first; whoever wants the newest few pays for those alone. */
  readOrganizationBackwards(organizationId: string, upTo: Moment): AsyncIterable<readonly Recorded[]>;
  /** Like readAll, but goes on with what is appended, here or in another process, until the signal. */
  subscribe(after: Position, signal: AbortSignal): AsyncIterable<readonly Recorded[]>;
  /** The position of the last event. */
  head(): Promise<Position>;
  /** How many events follow a position; a store that has to count them may stop at ten thousand. */
  countAfter(position: Position): Promise<number>;
  close(): Promise<void>;
}

/** The store to whoever looks at single streams. */
export type Streams = Pick<EventStore, 'refusesFreely' | 'append' | 'read' | 'head'>;

/** Somebody else wrote to the stream first: read it again and decide again. */
export class WrongRevision extends Error {
  override readonly name = 'WrongRevision';
  constructor(stream: string) {
    super(`stream ${stream} is not at the expected revision`);
  }
}

/** `<organizationId>.<aggregate>-<key>`: organization ids and aggregate names have no dash or dot, keys may. */
export const streamName = (organizationId: string, aggregate: string, key: string) =>
  `${organizationId}.${aggregate}-${key}`;
export const organizationOf = (stream: string) => stream.slice(0, stream.indexOf('.'));
