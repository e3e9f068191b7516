import type { EventRecord } from '../../../application/audit/event-record.js';
import { eventTypes } from '../../../domain/aggregates.js';
import { fail } from '../../../domain/failure.js';
import { didYouMean } from '../../../domain/nearest-name.js';
import { extension, id, list, text } from '../schema.js';

/** Filters of a history. An event is listed if it passes all filters. */
export type EventFilter = {
  readonly types?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  readonly wallet_id?: string | undefined;
  readonly stream?: string | undefined;
  readonly correlation_id?: string | undefined;
};

export const eventFilterFields = {
  types: { schema: extension(list(text(1, 100), { minItems: 1, maxItems: 50 })) },
  actor: { schema: extension(id) },
  wallet_id: { schema: extension(id) },
  stream: { schema: extension(text(1, 1000)) },
  correlation_id: { schema: extension(id) },
};

const checkType = (given: string) => {
  if (!eventTypes.includes(given))
    fail(
      'INVALID_ARGUMENT',
      `Unknown event type${didYouMean(given, eventTypes) || '. docs/events.md lists all types.'}`,
      [{ path: '/types', message: 'must be event types' }],
    );
};

/**
 * Returns a predicate for events in the form that is shown to the caller. A predicate for stored events would let a
 * client guess values that are hidden from clients, such as the login names of operators.
 */
export const eventTest = ({ types, actor, wallet_id, stream, correlation_id }: EventFilter) => {
  types?.forEach(checkType);
  return (event: EventRecord): boolean =>
    (!types || types.includes(event.type)) &&
    (actor === undefined || event.actor.id === actor || event.actor.kind === actor) &&
    (wallet_id === undefined || (event.data as { walletId?: unknown }).walletId === wallet_id) &&
    (stream === undefined || event.stream === stream) &&
    (correlation_id === undefined || event.correlation_id === correlation_id);
};
