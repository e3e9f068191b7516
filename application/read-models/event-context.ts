import { type EventContext, scopeOf } from '../../projections/define.js';
import type { Recorded } from '../ports/event-store.js';

/** Returns what a projection is told about an event besides its data. */
export const aboutOf = ({
  metadata: { organizationId, variant, occurredAt },
  position,
  bytes,
}: Pick<Recorded, 'metadata' | 'position' | 'bytes'>): EventContext => ({
  organizationId,
  variant,
  scope: scopeOf(organizationId, variant),
  occurredAt,
  position,
  bytes,
});
