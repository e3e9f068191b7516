import type { Message } from '../../../domain/decider.js';
import { type EventContext, type Projection, scopeOf } from '../../../projections/define.js';

export const hour = (n: number) => `2026-01-01T${String(n).padStart(2, '0')}:00:00.000Z`;
/** Makes the metadata of an event at a position, for tests in which the time and size of the event do not matter. */
export const aboutAt = (organizationId: string, variant: string, position: number): EventContext => ({
  organizationId,
  variant,
  scope: scopeOf(organizationId, variant),
  occurredAt: hour(0),
  position,
  bytes: 0,
});
export const about = (n: number): EventContext => ({ ...aboutAt('org_1', 'S', n * 10), occurredAt: hour(n) });

/** Projects events of one key to their document; the n-th event is at position 10 n and at n o'clock. */
export const project = <E extends Message, Doc>({ on }: Projection<E, Doc>, events: readonly NoInfer<E>[]) =>
  events.reduce<Doc | null>((doc, event, i) => {
    const apply = on[event.type as E['type']] as (doc: Doc | null, data: object, about: EventContext) => Doc | null;
    return apply(doc, event.data, about(i + 1));
  }, null);
