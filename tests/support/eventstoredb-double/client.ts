import {
  type AllStreamSubscription,
  jsonEvent,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';

/** Makes an event that is identified by a number. */
export const numbered = (type: string, n = 0) => jsonEvent({ type, data: { n } });

export const collect = async (reading: AsyncIterable<ResolvedEvent>) => {
  const found: ResolvedEvent[] = [];
  for await (const one of reading) found.push(one);
  return found;
};

export const numbersOf = (found: readonly ResolvedEvent[]) =>
  found.map(({ event }) => (event?.data as { n: number } | undefined)?.n);

/**
 * Writes the place of each event as `stream/revision`. For a resolved link, the place of the link comes first, and then
 * that of the event to which it points.
 */
export const placesOf = (found: readonly ResolvedEvent[]) =>
  found.map(({ event, link }) =>
    [link, event].flatMap((one) => (one ? `${one.streamId}/${one.revision}` : [])).join(' '),
  );

/** Collects the events and errors of a subscription as they arrive. */
export const follow = (subscription: AllStreamSubscription | StreamSubscription) => {
  const seen: ResolvedEvent[] = [];
  const errors: Error[] = [];
  subscription.on('data', (one: ResolvedEvent) => seen.push(one)).on('error', (error: Error) => errors.push(error));
  return { seen, errors };
};
