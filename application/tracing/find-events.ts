import { systemOwner } from '../../projections/define.js';
import { organizations } from '../../projections/organizations.js';
import { mapInSlices } from '../async/slices.js';
import { type EventStore, type Recorded, systemStreams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import { everyDocument } from '../read-models/paging.js';

/**
 * Range of commit times (Unix ms, inclusive) of one organization's events, or of the events of all organizations if
 * `owner` is null.
 */
export type SearchRange = { readonly owner: string | null; readonly from: number; readonly until: number };

/**
 * Milliseconds before and after the time of a request within which its events are committed, allowing for clock skew.
 */
const beforeMs = 120_000;
const afterMs = 300_000;
export const rangeAround = (owner: string | null, time: number): SearchRange => ({
  owner,
  from: time - beforeMs,
  until: time + afterMs,
});

const timed = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/i;

/**
 * Returns the time (Unix ms) in a request id that begins with a UUID of version 7, as the service creates request ids;
 * null for other ids.
 */
export const timeOfId = (requestId: string): number | null =>
  timed.test(requestId) ? Number.parseInt(requestId.slice(0, 13).replace('-', ''), 16) : null;

const organizationsAtOnce = 16;

type Ports = { readonly events: EventStore; readonly readModels: ReadModels };

const belongsTo = ({ metadata: { requestId, correlationId, causationId } }: Recorded, wanted: string) =>
  requestId === wanted || correlationId === wanted || causationId === wanted;

/**
 * Reads the range newest first. After an event of the request is found, reads at most `beforeMs` further back, because
 * no request takes longer.
 */
const findIn = async ({ events }: Ports, owner: string, { from, until }: SearchRange, requestId: string) => {
  const found: Recorded[] = [];
  let earliest = from;
  for await (const batch of events.readOrganizationBackwards(owner, { time: until })) {
    for (const event of batch) {
      if (event.time < earliest) return found;
      if (!belongsTo(event, requestId)) continue;
      found.push(event);
      earliest = Math.max(earliest, event.time - beforeMs);
    }
  }
  return found;
};

const allOwners = async ({ readModels }: Ports) => {
  const owners: string[] = [systemStreams];
  for await (const { organization_id } of everyDocument(readModels, organizations, systemOwner))
    owners.push(organization_id);
  return owners;
};

/**
 * Finds the events of a request, oldest first. Searches only the given ranges, because the event store has no index by
 * request id.
 */
export const findEvents = async (
  ports: Ports,
  requestId: string,
  ranges: readonly SearchRange[],
): Promise<readonly Recorded[]> => {
  const found = new Map<string, Recorded>();
  for (const range of ranges) {
    const owners = range.owner === null ? await allOwners(ports) : [range.owner];
    const lists = await mapInSlices(owners, organizationsAtOnce, (owner) => findIn(ports, owner, range, requestId));
    for (const event of lists.flat()) found.set(event.id, event);
  }
  return [...found.values()].sort((one, other) => one.position - other.position);
};
