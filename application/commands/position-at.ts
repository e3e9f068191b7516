import { beginning, type EventStore, type Moment, type Position } from '../ports/event-store.js';

/** Returns the position of an organization's last event at or before a moment; `beginning` if there is none. */
export const positionAt = async (
  events: Pick<EventStore, 'readOrganizationBackwards'>,
  organizationId: string,
  moment: Moment,
): Promise<Position> => {
  for await (const [last] of events.readOrganizationBackwards(organizationId, moment)) if (last) return last.position;
  return beginning;
};
