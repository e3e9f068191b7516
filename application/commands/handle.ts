import { type Decider, decide, fold, type Message } from '../../domain/decider.js';
import { Failure, refuse } from '../../domain/failure.js';
import { globalVariant, type Variant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import {
  type Actor,
  type Metadata,
  noStream,
  type Position,
  type Streams,
  streamName,
  WrongRevision,
} from '../ports/event-store.js';
import type { System } from '../ports/system.js';

/** On whose behalf and in answer to what something is done. */
export type Context = {
  readonly organizationId: string;
  readonly variant: Variant;
  readonly actor: Actor;
  readonly requestId: string;
  /** Given with a request that may be retried: the ids it makes follow from this, so that a retry makes the same. */
  readonly idSeed?: string | undefined;
  /** The same facts told again get the same event ids. */
  readonly repeatable?: true;
};

/** The part of the read models that the caller may see. */
export const scopeFor = ({ organizationId, variant }: Context) => scopeOf(organizationId, variant.tag);

/** Who acts when no organization does: the operator at the command line, or the service itself. */
export type Operation = Omit<Context, 'organizationId' | 'variant'>;

/** For what is said of an organization as a whole. */
export const globalContext = (by: Operation, organizationId: string): Context => ({
  ...by,
  organizationId,
  variant: globalVariant,
});

/** A command's answer, and the position at which the read models show it. */
export type Done<T> = { readonly answer: T; readonly position: Position };

/** The answer of a command that has none. */
export type Nothing = Record<string, never>;

type Stream = Awaited<ReturnType<Streams['read']>>;

/** One stream's part in a command. `at` points to the part of the request that asked for it. */
export type Step = {
  readonly stream: string;
  readonly at?: string | undefined;
  /** There is probably nothing to read: it is tried without reading first. */
  readonly isNew?: boolean;
  /** There may be nothing to read: the same, where a refused append leaves no trace. */
  readonly mayBeNew?: boolean;
  /** What was read of it a moment ago, and probably still holds: it is tried with that first. */
  readonly known?: Stream;
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
  decide: (past) => decide(decider, fold(decider, past as readonly E[]), command),
});

export type Handle = (context: Context, steps: readonly Step[]) => Promise<Position>;

/** Each lost race means that somebody else got on, so many callers on one stream need as many tries as there are callers. */
const tries = 64;

/** Of a command over many streams so much is done before others get their turn. */
const withoutPause = 250;

const nothing: Stream = { events: [], revision: noStream };

/** Decides every step before it gives up, so that a refused batch names each of its offenders. */
const decideAll = (steps: readonly Step[], pasts: readonly (readonly Message[])[]) => {
  const failures: [Failure, string | undefined][] = [];
  const decisions = steps.map((one, i) => {
    try {
      return one.decide(pasts[i] ?? []);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push([error, one.at]);
      return [];
    }
  });
  const first = failures[0]?.[0];
  if (!first) return decisions;
  const alike = failures.filter(([{ code }]) => code === first.code);
  const faults = alike.flatMap(([{ message }, path]) => (path === undefined ? [] : [{ path, message }]));
  const message = alike.length === 1 ? first.message : `${first.message}, and ${alike.length - 1} more like it`;
  throw new Failure(first.code, message, faults);
};

/** A digest in the form of a UUID (version 8). */
const uuidOf = (digest: string) =>
  [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `a${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');

/** Load ▸ fold ▸ decide ▸ append; gives the position that includes everything the answer rests on. */
export const createHandle = (events: Streams, system: System): Handle => {
  const read = async (steps: readonly Step[], isFirst: boolean) => {
    const assumed = ({ known, isNew, mayBeNew }: Step) =>
      known ?? (isNew || (mayBeNew && events.refusesFreely) ? nothing : null);
    const past = async (one: Step) => (isFirst && assumed(one)) || events.read(one.stream);
    const found: Stream[] = [];
    for (let from = 0; from < steps.length; from += withoutPause) {
      if (from > 0) await system.breathe();
      found.push(...(await Promise.all(steps.slice(from, from + withoutPause).map(past))));
    }
    return found;
  };

  const attempt = async (context: Context, steps: readonly Step[], isFirst: boolean): Promise<Position> => {
    const streams = await read(steps, isFirst);
    const decisions = decideAll(
      steps,
      streams.map((found) => found.events),
    );
    if (steps.length > withoutPause) await system.breathe();
    const metadata = metadataOf(context);
    const writes = steps.flatMap(({ stream }, i) => {
      const decided = decisions[i] ?? [];
      const expected = streams[i]?.revision ?? noStream;
      const idOf = (n: number) =>
        context.repeatable ? uuidOf(system.sha256(`${stream}#${expected + 1 + n}`)) : system.uuid();
      const stamped = decided.map(({ type, data }, n) => ({ type, data, id: idOf(n), metadata }));
      return decided.length === 0 ? [] : [{ stream, expected, events: stamped }];
    });
    if (writes.length > 0) return events.append(writes);
    return events.head();
  };

  const metadataOf = ({ organizationId, variant, actor, requestId }: Context): Metadata => ({
    organizationId,
    variant: variant.tag,
    actor,
    requestId,
    causationId: requestId,
    correlationId: requestId,
    occurredAt: new Date(system.now()).toISOString(),
  });

  return async (context, steps) => {
    for (let tried = 0; tried < tries; tried++) {
      try {
        return await attempt(context, steps, tried === 0);
      } catch (error) {
        if (!(error instanceof WrongRevision)) throw error;
      }
    }
    return refuse('CONFLICT', 'others keep changing the same thing; try again');
  };
};

/** A new id, or for a retried request the id that its first try had. */
export const idFor = ({ idSeed }: Operation, prefix: string, system: System) =>
  idSeed === undefined
    ? `${prefix}_${system.uuid().replaceAll('-', '')}`
    : `${prefix}_${system.sign('idempotent-id', JSON.stringify([prefix, idSeed])).slice(0, 32)}`;
