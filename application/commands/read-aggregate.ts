import { type Decider, fold, type Message } from '../../domain/decider.js';
import { UnreadableEvent } from '../../domain/upcasters.js';
import { type Metadata, type Streams, streamName } from '../ports/event-store.js';
import { createPrefixMemory } from './known-prefix.js';

/** Event from the store, or an event that was just decided and has no metadata yet. */
type Past = Message & { readonly metadata?: Pick<Metadata, 'organizationId'> };

/** Throws UnreadableEvent for an event type that the decider does not know, because a newer release wrote the event. */
export const requireReadable = <C extends Message, E extends Message, S>(
  decider: Decider<C, E, S>,
  past: readonly Past[],
): void => {
  for (const { type, metadata } of past)
    if (!Object.hasOwn(decider.evolve, type))
      throw new UnreadableEvent(metadata?.organizationId ?? '', {
        type,
        reason: `is unknown to this release in a stream of ${decider.stream}`,
      });
};

/** States of long streams, so that the next command folds only new events. */
const keptStates = createPrefixMemory<{ readonly decider: unknown; readonly state: unknown }>();

/**
 * Folds events from the store. The store is untyped, so this is the only place that casts stored events to the
 * decider's events.
 */
export const foldStored = <C extends Message, E extends Message, S>(
  decider: Decider<C, E, S>,
  past: readonly Past[],
): S => {
  const found = keptStates.find(past);
  const kept = found?.value.decider === decider ? found : null;
  const rest = kept ? past.slice(kept.count) : past;
  requireReadable(decider, rest);
  const state = fold(decider, rest as readonly Message[] as readonly E[], kept?.value.state as S | undefined);
  if (rest.length > 0) keptStates.remember(past, { decider, state });
  return state;
};

/** Reads a stream and folds its events into the decider's state. */
export const readAggregate = async <C extends Message, E extends Message, S>(
  events: Pick<Streams, 'read'>,
  decider: Decider<C, E, S>,
  organizationId: string,
  key: string,
): Promise<S> => {
  const { events: past } = await events.read(streamName(organizationId, decider.stream, key));
  return foldStored(decider, past);
};
