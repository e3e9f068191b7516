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

/** Events of one command share their metadata, as an object too: adapters write and send what is the same once. */
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
 * The store to everybody who deals in what events mean: each comes in the shape of today, whatever it was stored in, and
 * each that is appended says its version. Whoever proves or copies a history takes the store itself: what is sealed,
 * exported, verified and moved is what is stored.
 */
export const currentEvents = (stored: EventStore): EventStore => ({
  ...(stored.refusesFreely && { refusesFreely: stored.refusesFreely }),
  append: (writes) => stored.append(stampAll(writes)),
  adopt: (events) => stored.adopt(events),
  read: async (stream) => {
    const { events, revision } = await stored.read(stream);
    return { events: events.map(bringUpToDate), revision };
  },
  readAll: (after) => eachUpToDate(stored.readAll(after)),
  readOrganization: (organizationId, after) => eachUpToDate(stored.readOrganization(organizationId, after)),
  readOrganizationBackwards: (organizationId, upTo) =>
    eachUpToDate(stored.readOrganizationBackwards(organizationId, upTo)),
  subscribe: (after, signal) => eachUpToDate(stored.subscribe(after, signal)),
  head: () => stored.head(),
  countAfter: (position) => stored.countAfter(position),
  close: () => stored.close(),
});
