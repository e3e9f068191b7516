import { currentVersion, upcast } from '../../domain/upcasters.js';
import type { EventStore, Metadata, NewEvent, StreamWrite } from '../ports/event-store.js';

const versionOf = ({ version = 1 }: Metadata) => version;

const bringUpToDate = <E extends NewEvent>(event: E): E => {
  const current = currentVersion(event.type);
  const version = versionOf(event.metadata);
  if (version === current) return event;
  return { ...event, data: upcast(event, version), metadata: { ...event.metadata, version: current } };
};

const eachUpToDate = async function* <E extends NewEvent>(batches: AsyncIterable<readonly E[]>) {
  for await (const batch of batches) yield batch.map(bringUpToDate);
};

/**
 * Stamps events with their version. Events of one command keep sharing one metadata object, which adapters write only
 * once.
 */
const createStamp = () => {
  const stamped = new Map<Metadata, Map<number, Metadata>>();
  const metadataIn = (version: number, metadata: Metadata) => {
    const known = stamped.get(metadata) ?? new Map<number, Metadata>();
    stamped.set(metadata, known);
    const found = known.get(version) ?? { ...metadata, version };
    known.set(version, found);
    return found;
  };
  return (event: NewEvent): NewEvent => {
    const current = currentVersion(event.type);
    return current === 1 ? event : { ...event, metadata: metadataIn(current, event.metadata) };
  };
};
const stampAll = (writes: readonly StreamWrite[]): readonly StreamWrite[] => {
  const stamp = createStamp();
  return writes.map((write) => ({ ...write, events: write.events.map(stamp) }));
};

/**
 * Wraps the store for code that interprets events: each is read in its current shape, whatever shape it was stored in,
 * and each appended event says its version. Code that seals, exports, verifies or moves a history takes the store
 * itself, because hashes cover the stored shape.
 */
export const currentEvents = (stored: EventStore): EventStore => ({
  ...(stored.refusesFreely && { refusesFreely: stored.refusesFreely }),
  ...(stored.patience && { patience: stored.patience }),
  append: (writes, patience) => stored.append(stampAll(writes), patience),
  adopt: (events) => stored.adopt(events),
  read: async (stream, patience) => {
    const { events, revision } = await stored.read(stream, patience);
    return { events: events.map(bringUpToDate), revision };
  },
  readAll: (after) => eachUpToDate(stored.readAll(after)),
  readOrganization: (organizationId, after) => eachUpToDate(stored.readOrganization(organizationId, after)),
  readOrganizationBackwards: (organizationId, upTo) =>
    eachUpToDate(stored.readOrganizationBackwards(organizationId, upTo)),
  subscribe: (after, signal) => eachUpToDate(stored.subscribe(after, signal)),
  head: () => stored.head(),
  newest: async () => {
    const newest = await stored.newest();
    return newest && bringUpToDate(newest);
  },
  countAfter: (position) => stored.countAfter(position),
  close: () => stored.close(),
});
