import { type EventContext, scopeOf } from '../../projections/define.js';
import type { Recorded } from '../ports/event-store.js';

/** Returns the properties of an event that projections may use in addition to its type and data. */
export const eventContextOf = ({
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
