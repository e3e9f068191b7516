import { type Decider, fold, type Message } from '../../domain/decider.js';
import { type Streams, streamName } from '../ports/event-store.js';

/** Folds events from the store. The store is untyped, so this is the only place that casts them to the decider's events. */
export const foldStored = <C extends Message, E extends Message, S>(
  decider: Decider<C, E, S>,
  past: readonly Message[],
): S => fold(decider, past as readonly E[]);

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
