import type { Message } from '../../domain/decider.js';
import type { About, Projection } from '../../projections/define.js';

export const hour = (n: number) => `2026-01-01T${String(n).padStart(2, '0')}:00:00.000Z`;
export const about = (n: number): About => ({
  organizationId: 'org_1',
  variant: 'S',
  occurredAt: hour(n),
  position: n * 10,
});

/** The document that events of one key leave; the n-th event is at position 10 n and at n o'clock. */
export const project = <E extends Message, Doc>({ on }: Projection<E, Doc>, events: readonly NoInfer<E>[]) =>
  events.reduce<Doc | null>((doc, event, i) => {
    const apply = on[event.type as E['type']] as (doc: Doc | null, data: object, about: About) => Doc | null;
    return apply(doc, event.data, about(i + 1));
  }, null);
