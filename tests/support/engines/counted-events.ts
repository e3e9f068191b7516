import { randomUUID } from 'node:crypto';
import { type NewEvent, noStream, type Recorded } from '../../../application/ports/event-store.js';

/** Makes an event that is identified by a number. */
export const event = (n: number, extra: object = {}): NewEvent => ({
  id: randomUUID(),
  type: 'Counted',
  data: { n, ...extra },
  metadata: {
    organizationId: 'org_a',
    variant: 'x',
    actor: { kind: 'process', id: 'test' },
    requestId: 'r',
    causationId: 'r',
    correlationId: 'r',
    occurredAt: '2026-01-01T00:00:00.000Z',
  },
});
export const write = (stream: string, events: NewEvent[], expected = noStream) => ({ stream, expected, events });
export const numbers = (events: readonly NewEvent[]) => events.map(({ data }) => (data as { n: number }).n);
export const collect = async (batches: AsyncIterable<readonly Recorded[]>) => {
  const all: Recorded[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
};
