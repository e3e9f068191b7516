import { type EventContext, scopeOf } from '../../projections/define.js';
import type { Recorded } from '../ports/event-store.js';

/** Returns the metadata of an event that projections can use. */
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
