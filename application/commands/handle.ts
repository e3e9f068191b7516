import { type Decider, decide, type Message } from '../../domain/decider.js';
import { Failure, fail } from '../../domain/failure.js';
import { globalVariant, type Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import { createFairTurns } from '../async/fair-turns.js';
import { createKeyedMutex } from '../async/mutex.js';
import { createShares } from '../async/shares.js';
import { slicesOf } from '../async/slices.js';
import {
  type Actor,
  type Metadata,
  noStream,
  type Patience,
  type Position,
  type Streams,
  streamName,
  TooLarge,
  WrongRevision,
} from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import { seedOf, upToOwn } from './own-events.js';
import { foldStored } from './read-aggregate.js';

/** Organization, API, actor and request that a command belongs to. */
export type Context = {
  readonly organizationId: string;
  readonly variant: Variant;
  readonly actor: Actor;
  readonly requestId: string;
  /** Seed of the ids that a retryable request makes, so that a retry makes the same ids. */
  readonly idSeed?: string | undefined;
  /** Reports addresses, rows or events that the work touched, by which its caller is charged. */
  readonly touch?: (count: number) => void;
  /** True when event ids follow from stream and revision, so that facts observed twice are stored once. */
  readonly repeatable?: true;
};

/** Scope of the read models that the caller may see. */
export const scopeFor = ({ organizationId, variant }: Context) => scopeOf(organizationId, variant.tag);

/** Context without an organization: an operator at the command line, or the service itself. */
export type Operation = Omit<Context, 'organizationId' | 'variant'>;

/** Builds the context of a command about an organization as a whole. */
export const globalContext = (by: Operation, organizationId: string): Context => ({
  ...by,
  organizationId,
  variant: globalVariant,
});

/** Answer of a command, and the position at which the read models show it. */
export type Done<T> = { readonly answer: T; readonly position: Position };

export type Nothing = Record<string, never>;

type Stream = Awaited<ReturnType<Streams['read']>>;

/** Decision on one stream as part of a command. `at` is the path of the request field that asked for it. */
export type Step = {
  readonly stream: string;
  readonly at?: string | undefined;
  /** True when the stream is probably new: the first try appends without reading it. */
  readonly isNew?: boolean;
  /** True when the stream may be new: as `isNew`, but only on stores where a refused append leaves no trace. */
  readonly mayBeNew?: boolean;
  /** Events read a moment ago, which the first try decides on. */
  readonly known?: Stream;
  /** True when the events may be stored in several appends: deciding again returns those that are left. */
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

/** Runs the append of a command's events, or refuses when they take more than a quota has left. */
export type Guard = (
  context: Context,
  events: readonly Message[],
  append: () => Promise<Position>,
) => Promise<Position>;

const unguarded: Guard = (_context, _events, append) => append();

/** Resolves once the read models include a position, or after so many ms. */
type Reached = (position: Position, ms: number) => Promise<unknown>;

const atOnce: Reached = async () => undefined;

/** Time for which a large command waits for the read models before the next one begins, also when they stand still. */
const backPressureMs = 500;

/** Races that a command may lose against other processes; within this one, losers wait for their turn. */
const tries = 64;

/** Streams of one command read before other work gets a turn. */
const withoutPause = 250;

/** Steps from which a command counts as large: of those one runs at a time, and organizations take turns. */
const largeSteps = 100;
const turnsOfLarge = { atOnce: 1, ofOneKey: 1, maxWaiting: 512 };

const nothing: Stream = { events: [], revision: noStream };

/** Decides every step before it throws, so that the refusal of a batch names all its invalid items. */
const decideAll = async (
  steps: readonly Step[],
  pasts: readonly (readonly Message[])[],
  breathe: System['breathe'],
) => {
  const failures: [Failure, string | undefined][] = [];
  const decisions: (readonly Message[])[] = [];
  for (const [i, one] of steps.entries()) {
    if (i > 0 && i % withoutPause === 0) await breathe();
    try {
      decisions.push(one.decide(pasts[i] ?? []));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push([error, one.at]);
      decisions.push([]);
    }
  }
  const first = failures[0]?.[0];
  if (!first) return decisions;
  const alike = failures.filter(([{ code }]) => code === first.code);
  const faults = alike.flatMap(([{ message }, path]) => (path === undefined ? [] : [{ path, message }]));
  const message = alike.length === 1 ? first.message : `${first.message}, and ${alike.length - 1} more like it`;
  throw new Failure(first.code, message, faults);
};

/** Returns the stream that another writer changed first; throws any other error of an append. */
const lostIn = (error: unknown): string => {
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
): Metadata => ({
  organizationId,
  variant: variant.tag,
  actor,
  requestId,
  causationId: requestId,
  correlationId: requestId,
  occurredAt: new Date(now).toISOString(),
  ...(seed !== undefined && { seed }),
});

/** Loads, folds, decides and appends; returns a position that includes everything the answer depends on. */
export const createHandle = (
  events: Streams,
  system: System,
  guard: Guard = unguarded,
  reached: Reached = atOnce,
  shares = createShares(system),
): Handle => {
  const read = async (steps: readonly Step[], isFirst: boolean, patience: Patience | undefined) => {
    const assumed = ({ known, isNew, mayBeNew }: Step) =>
      known ?? (isNew || (mayBeNew && events.refusesFreely) ? nothing : null);
    const past = async (one: Step) => (isFirst && assumed(one)) || events.read(one.stream, patience);
    const found: Stream[] = [];
    for (const slice of slicesOf(steps, withoutPause)) {
      if (found.length > 0) await system.breathe();
      found.push(...(await Promise.all(slice.map(past))));
    }
    return found;
  };

  const attempt = async (context: Context, steps: readonly Step[], isFirst: boolean): Promise<Position> => {
    // Reading and appending share one patience, so that a refusal comes as soon as that of a single call.
    const patience = events.patience?.();
    const streams = await read(steps, isFirst, patience);
    // Facts that may be stored in parts are decided anew: only the whole of a command is recognized by its seed.
    const seed = steps.some(({ divisible }) => divisible) ? undefined : seedOf(context, system);
    if (streams.some((found) => upToOwn(found.events, seed) !== null)) return events.head();
    const pasts = streams.map((found) => found.events);
    const decisions = await decideAll(steps, pasts, system.breathe);
    if (steps.length > withoutPause) await system.breathe();
    const metadata = metadataOf(context, seed, system.now());
    const writes = steps.flatMap(({ stream, divisible }, i) => {
      const decided = decisions[i] ?? [];
      const expected = streams[i]?.revision ?? noStream;
      const idOf = (type: string, n: number) =>
        context.repeatable ? uuidOf(system.sha256(`${stream}#${expected + 1 + n}#${type}`)) : system.uuid();
      const stamped = decided.map(({ type, data }, n) => ({ type, data, id: idOf(type, n), metadata }));
      return decided.length === 0 ? [] : [{ stream, expected, events: stamped, divisible }];
    });
    if (steps.length > withoutPause) await system.breathe();
    if (writes.length > 0) return guard(context, decisions.flat(), () => events.append(writes, patience));
    return events.head();
  };

  const inTurn = createKeyedMutex();
  /** Losers of a race queue by stream, and newcomers behind them, so that one try is enough unless other processes write. */
  const attemptInTurn = (context: Context, steps: readonly Step[], tried: number, lost: string | undefined) => {
    const stream = lost ?? steps.find((one) => inTurn.isBusy(one.stream))?.stream;
    const work = () => attempt(context, steps, tried === 0 && stream === undefined);
    return stream === undefined ? work() : inTurn(stream, work);
  };

  const largeInTurn = createFairTurns(turnsOfLarge);
  const tryAgain = async (context: Context, steps: readonly Step[]) => {
    let lost: string | undefined;
    for (let tried = 0; tried < tries; tried++) {
      try {
        return await attemptInTurn(context, steps, tried, lost);
      } catch (error) {
        lost = lostIn(error);
      }
    }
    return fail('CONFLICT', 'other requests keep changing the same data; try again');
  };

  return (context, steps) => {
    // Processes wait for no turn, because the work that they record was admitted when it was asked for.
    if (context.actor.kind === 'process') return tryAgain(context, steps);
    const { organizationId } = context;
    if (steps.length < largeSteps) return shares.small(organizationId, () => tryAgain(context, steps));
    const large = async () => {
      const position = await tryAgain(context, steps);
      // Back-pressure: read models are built in the order of events, so a backlog would delay everybody's next answer.
      await reached(position, backPressureMs);
      return position;
    };
    return largeInTurn(organizationId, () => shares.large(organizationId, large));
  };
};

/** Returns a new id; for a retried request the id that its first try made. */
export const idFor = ({ idSeed }: Operation, prefix: string, system: System) =>
  idSeed === undefined
    ? `${prefix}_${system.uuid().replaceAll('-', '')}`
    : `${prefix}_${system.sign('idempotent-id', JSON.stringify([prefix, idSeed])).slice(0, 32)}`;
