import { type EventContext, scopeOf } from '../../projections/define.js';
import type { Recorded } from '../ports/event-store.js';

/** Returns the facts about an event, besides its type and data, that projections may use. */
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
