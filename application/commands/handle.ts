import { type Decider, decide, type Message } from '../../domain/decider.js';
import { Failure, fail, OrganizationStopped } from '../../domain/failure.js';
import { globalVariant, type Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import { createKeyedMutex } from '../async/mutex.js';
import { slicesOf } from '../async/slices.js';
import { createFairTurns } from '../async/turns/fair-turns.js';
import { createLargeWorkThrottle } from '../async/turns/large-work-throttle.js';
import {
  type Actor,
  type Deadline,
  type Metadata,
  noStream,
  type Position,
  type Streams,
  streamName,
  TooLarge,
  WrongRevision,
} from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import { noTracer, type Tracer } from '../ports/tracing/tracer.js';
import { actorIn } from './api-key.js';
import { eventsThroughOwn, seedOf } from './own-events.js';
import { foldStored } from './read-aggregate.js';

/** Organization, API, actor and request of a command. */
export type Context = {
  readonly organizationId: string;
  readonly variant: Variant;
  readonly actor: Actor;
  readonly requestId: string;
  /** Seed from which a retryable request derives ids, so that a retry derives the same ids. */
  readonly idSeed?: string | undefined;
  /**
   * Called with a number of processed addresses, rows or events, which counts against the rate limit of the caller.
   */
  readonly touch?: (count: number) => void;
  /**
   * Returns true once the caller has disconnected. Absent for commands, which are completed even if the caller
   * disconnects.
   */
  readonly isCancelled?: () => boolean;
  /** True to derive event ids from stream and revision, so that facts that are observed twice are stored once. */
  readonly repeatable?: true;
  /**
   * Trace context of the event that caused the command; undefined for a command of a request, which belongs to the
   * active span.
   */
  readonly traceparent?: string | undefined;
};

/** Scope of the read models that the caller may see. */
export const scopeFor = ({ organizationId, variant }: Context) => scopeOf(organizationId, variant.tag);

/** Context without an organization, as for an operator at the command line or the service itself. */
export type Operation = Omit<Context, 'organizationId' | 'variant'>;

/** Builds the context of a command that concerns an organization as a whole, not one of its chains. */
export const globalContext = (by: Operation, organizationId: string): Context => ({
  ...by,
  organizationId,
  variant: globalVariant,
});

/** Result of a command, and the position that the read models must reach to show its effect. */
export type Done<T> = { readonly answer: T; readonly position: Position };

export type Nothing = Record<string, never>;

type Stream = Awaited<ReturnType<Streams['read']>>;

/**
 * Decision on one stream as part of a command. `at` is the JSON pointer of the request field that the decision is
 * about, which a failure names.
 */
export type Step = {
  readonly stream: string;
  readonly at?: string | undefined;
  /** True when the stream is probably new: the first attempt appends without reading the stream. */
  readonly isNew?: boolean;
  /** True when the stream may be new. Treated as `isNew` on stores where a rejected append leaves no trace. */
  readonly mayBeNew?: boolean;
  /** Stream as read a moment ago, which the first attempt uses instead of reading the stream again. */
  readonly known?: Stream;
  /**
   * True if the events of the step may be stored in several appends. If only a part of the events was stored, deciding
   * the step again returns the remaining events.
   */
  readonly divisible?: true;
  readonly decide: (past: readonly Message[]) => readonly Message[];
};

export const step = <C extends Message, E extends Message, S>(
  decider: Decider<C, E, S>,
  organizationId: string,
  key: string,
  command: C,
  at?: string,
): Step => ({
  stream: streamName(organizationId, decider.stream, key),
  at,
  decide: (past) => decide(decider, foldStored(decider, past), command),
});

export type Handle = (context: Context, steps: readonly Step[]) => Promise<Position>;

/** Runs the append of a command's events, or rejects when the events would exceed a quota. */
export type Guard = (
  context: Context,
  events: readonly Message[],
  append: () => Promise<Position>,
) => Promise<Position>;

const unguarded: Guard = (_context, _events, append) => append();

/** Resolves once the read models include a position, or after `ms` milliseconds. */
type Reached = (position: Position, ms: number) => Promise<unknown>;

const withoutWaiting: Reached = async () => undefined;

/**
 * Maximum time in milliseconds to wait for the read models after a large command, before the next large command starts.
 */
const backPressureMs = 500;

/**
 * Maximum number of attempts of a command that conflicts with commands of other processes. Conflicting commands of this
 * process are queued.
 */
const maxAttempts = 64;

/** Maximum number of streams that a command reads or decides before it yields to the event loop. */
const streamsPerTurn = 250;

/** Limits for large commands: one runs at a time, and organizations are served round-robin. */
const largeCommandTurns = { maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaiting: 512 };

const emptyStream: Stream = { events: [], revision: noStream };

/** Returns true when a decider rejected the command, false when this release cannot read a stream. */
const isRefusal = (error: unknown): error is Failure =>
  error instanceof Failure && !(error instanceof OrganizationStopped);

/** Decides every step before it throws, so that the failure of a batch names all invalid items. */
const decideAll = async (
  steps: readonly Step[],
  pasts: readonly (readonly Message[])[],
  breathe: System['breathe'],
) => {
  const failures: [Failure, string | undefined][] = [];
  const decisions: (readonly Message[])[] = [];
  for (const [i, one] of steps.entries()) {
    if (i > 0 && i % streamsPerTurn === 0) await breathe();
    try {
      decisions.push(one.decide(pasts[i] ?? []));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      failures.push([error, one.at]);
      decisions.push([]);
    }
  }
  const first = failures[0]?.[0];
  if (!first) return decisions;
  const alike = failures.filter(([{ code }]) => code === first.code);
  const faults = alike.flatMap(([{ message }, path]) => (path === undefined ? [] : [{ path, message }]));
  const message = alike.length === 1 ? first.message : `${first.message} (and ${alike.length - 1} more)`;
  throw new Failure(first.code, message, faults);
};

/** Returns the stream on which an append conflicted with another writer; rethrows any other error. */
const conflictingStream = (error: unknown): string => {
  if (error instanceof WrongRevision) return error.stream;
  if (error instanceof TooLarge) return fail('INVALID_ARGUMENT', error.message);
  throw error;
};

/** Formats a digest as a UUID (version 8). */
const uuidOf = (digest: string) =>
  [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `a${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');

const metadataOf = (
  { organizationId, variant, actor, requestId }: Context,
  seed: string | undefined,
  now: number,
  traceparent: string | undefined,
): Metadata => ({
  organizationId,
  variant: variant.tag,
  actor: actorIn(organizationId, actor),
  requestId,
  causationId: requestId,
  correlationId: requestId,
  occurredAt: new Date(now).toISOString(),
  ...(seed !== undefined && { seed }),
  ...(traceparent !== undefined && { traceparent }),
});

/**
 * Creates the command handler, which reads and folds the streams of a command, decides, appends, and returns a position
 * that includes all events that the result depends on.
 */
export const createHandle = (
  events: Streams,
  system: System,
  guard: Guard = unguarded,
  reached: Reached = withoutWaiting,
  throttle = createLargeWorkThrottle(system),
  tracer: Tracer = noTracer,
): Handle => {
  const read = async (steps: readonly Step[], isFirst: boolean, deadline: Deadline | undefined) => {
    const assumed = ({ known, isNew, mayBeNew }: Step) =>
      known ?? (isNew || (mayBeNew && events.rejectsWithoutTrace) ? emptyStream : null);
    const past = async (one: Step) => (isFirst && assumed(one)) || events.read(one.stream, deadline);
    const found: Stream[] = [];
    for (const slice of slicesOf(steps, streamsPerTurn)) {
      if (found.length > 0) await system.breathe();
      found.push(...(await Promise.all(slice.map(past))));
    }
    return found;
  };

  const attempt = async (context: Context, steps: readonly Step[], isFirst: boolean): Promise<Position> => {
    // Reading and appending share one deadline, so that a command times out as early as a single call.
    const deadline = events.deadline?.();
    const streams = await read(steps, isFirst, deadline);
    // Divisible steps get no seed: only a part of their events may be stored, so a retry decides these steps again.
    const seed = steps.some(({ divisible }) => divisible) ? undefined : seedOf(context, system);
    if (streams.some((found) => eventsThroughOwn(found.events, seed) !== null)) return events.head();
    const pasts = streams.map((found) => found.events);
    const decisions = await decideAll(steps, pasts, system.breathe);
    if (steps.length > streamsPerTurn) await system.breathe();
    const metadata = metadataOf(context, seed, system.now(), tracer.active());
    const writes = steps.flatMap(({ stream, divisible }, i) => {
      const decided = decisions[i] ?? [];
      const expected = streams[i]?.revision ?? noStream;
      const idOf = (type: string, n: number) =>
        context.repeatable ? uuidOf(system.sha256(`${stream}#${expected + 1 + n}#${type}`)) : system.uuid();
      const stamped = decided.map(({ type, data }, n) => ({ type, data, id: idOf(type, n), metadata }));
      return decided.length === 0 ? [] : [{ stream, expected, events: stamped, divisible }];
    });
    if (steps.length > streamsPerTurn) await system.breathe();
    if (writes.length > 0) return guard(context, decisions.flat(), () => events.append(writes, deadline));
    return events.head();
  };

  const inTurn = createKeyedMutex();
  /**
   * Runs an attempt. After a conflict on a stream, or while other attempts on a stream of the command are in progress,
   * the attempt waits for its turn on that stream, which avoids further conflicts.
   */
  const attemptInTurn = (context: Context, steps: readonly Step[], tried: number, lost: string | undefined) => {
    const stream = lost ?? steps.find((one) => inTurn.isBusy(one.stream))?.stream;
    const work = () => attempt(context, steps, tried === 0 && stream === undefined);
    return stream === undefined ? work() : inTurn(stream, work);
  };

  const largeInTurn = createFairTurns(largeCommandTurns);
  const withRetries = async (context: Context, steps: readonly Step[]) => {
    let lost: string | undefined;
    for (let tried = 0; tried < maxAttempts; tried++) {
      try {
        return await attemptInTurn(context, steps, tried, lost);
      } catch (error) {
        lost = conflictingStream(error);
      }
    }
    return fail('CONFLICT', 'The resource was modified concurrently. Retry the request.');
  };

  return (context, steps) => {
    // Commands of background processes are not throttled: their work was admitted when it was requested.
    if (context.actor.kind === 'process') return withRetries(context, steps);
    const { organizationId } = context;
    if (!throttle.isLarge(organizationId, steps.length))
      return throttle.small(organizationId, () => withRetries(context, steps));
    const large = async () => {
      const position = await withRetries(context, steps);
      // Back-pressure: read models apply events in order, so a backlog would delay responses to all organizations.
      await reached(position, backPressureMs);
      return position;
    };
    return largeInTurn(organizationId, () => throttle.large(organizationId, large));
  };
};

/** Returns a new id, or for a retry the id of the first attempt. */
export const idFor = ({ idSeed }: Operation, prefix: string, system: System) =>
  idSeed === undefined
    ? `${prefix}_${system.uuid().replaceAll('-', '')}`
    : `${prefix}_${system.sign('idempotent-id', JSON.stringify([prefix, idSeed])).slice(0, 32)}`;
