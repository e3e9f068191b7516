import { type EventStore, type Position, type StreamWrite, WrongRevision } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import { noTracer, type Tracer } from '../ports/tracing/tracer.js';
import type { Measure } from './measurements.js';

/**
 * Runs an append in a span. If the append is part of a tentative span, such as a follower's turn, the tentative span
 * is kept, because work that stores events is worth exporting.
 */
const traced = (tracer: Tracer, writes: readonly StreamWrite[], store: () => Promise<Position>) => {
  tracer.keep();
  const count = writes.reduce((sum, { events }) => sum + events.length, 0);
  return tracer.child('append events', { 'chainfold.events': count, 'chainfold.streams': writes.length }, async () => {
    const position = await store();
    tracer.annotate({ 'chainfold.position': position });
    return position;
  });
};

/** Wraps a store so that the duration and the outcome of each append are measured and traced. */
export const measuredAppends = (
  events: EventStore,
  measure: Measure,
  { now }: Pick<System, 'now'>,
  tracer: Tracer = noTracer,
): EventStore => ({
  ...events,
  append: async (writes, deadline) => {
    const startedAt = now();
    const measured = (outcome: 'stored' | 'conflict' | 'failed') =>
      measure('append', (now() - startedAt) / 1000, { outcome });
    try {
      const store = () => events.append(writes, deadline);
      const position = await (tracer.isOn ? traced(tracer, writes, store) : store());
      measured('stored');
      return position;
    } catch (error) {
      measured(error instanceof WrongRevision ? 'conflict' : 'failed');
      throw error;
    }
  },
});
