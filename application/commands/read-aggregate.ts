import { type Decider, fold, type Message } from '../../domain/decider.js';
import { type Streams, streamName } from '../ports/event-store.js';

/** The state that a decider's events of one stream lead to. */
export const readAggregate = async <C extends Message, E extends Message, S>(
  events: Pick<Streams, 'read'>,
  decider: Decider<C, E, S>,
  organizationId: string,
  key: string,
): Promise<S> => {
  const { events: past } = await events.read(streamName(organizationId, decider.stream, key));
  return fold(decider, past as readonly Message[] as readonly E[]);
};
