import { type EventStore, WrongRevision } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import type { Measure } from './measurements.js';

/** Wraps a store so that the duration and the outcome of each append are measured. */
export const measuredAppends = (events: EventStore, measure: Measure, { now }: Pick<System, 'now'>): EventStore => ({
  ...events,
  append: async (writes, deadline) => {
    const startedAt = now();
    const measured = (outcome: 'stored' | 'conflict' | 'failed') =>
      measure('append', (now() - startedAt) / 1000, { outcome });
    try {
      const position = await events.append(writes, deadline);
      measured('stored');
      return position;
    } catch (error) {
      measured(error instanceof WrongRevision ? 'conflict' : 'failed');
      throw error;
    }
  },
});
