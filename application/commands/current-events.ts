import { currentVersion, UnreadableEvent, type Upcasters, upcast, upcasters } from '../../domain/upcasters.js';
import type { EventStore, Metadata, NewEvent, StreamWrite } from '../ports/event-store.js';
import { createPrefixMemory } from './known-prefix.js';

/**
 * Placeholder for data of an unknown version. Reading any property throws, so that only readers which need the data
 * fail.
 */
const unreadable = (error: UnreadableEvent): object => {
  const refuse = () => {
    throw error;
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse });
};

/**
 * Creates functions that convert stored events to their current version. A batch that is already current, as most are,
 * is returned without a copy.
 */
const createReader = (table: Upcasters) => {
  const versions = new Map(Object.keys(table).map((type) => [type, currentVersion(type, table)]));
  const isCurrent = ({ type, metadata: { version = 1 } }: NewEvent) => version === (versions.get(type) ?? 1);
  const current = createPrefixMemory<true>();
  const areCurrent = (batch: readonly NewEvent[]): boolean => {
    const checked = current.find(batch)?.count ?? 0;
    if (checked === batch.length) return true;
    const isAll = (checked > 0 ? batch.slice(checked) : batch).every(isCurrent);
    if (isAll) current.remember(batch, true);
    return isAll;
  };

  const bringUpToDate = <E extends NewEvent>(event: E): E => {
    if (isCurrent(event)) return event;
    const version = versions.get(event.type) ?? 1;
    try {
      return { ...event, data: upcast(event, table), metadata: { ...event.metadata, version } };
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      return { ...event, data: unreadable(error) };
    }
  };
  return {
    one: bringUpToDate,
    batch: <E extends NewEvent>(batch: readonly E[]): readonly E[] =>
      areCurrent(batch) ? batch : batch.map(bringUpToDate),
  };
};

/**
 * Creates a function that adds the current version of an event's type to its metadata, unless the current version is 1.
 * Events that share a metadata object share the new object too, because adapters serialize a shared object only once.
 */
const createStamp = (table: Upcasters) => {
  const stamped = new Map<Metadata, Map<number, Metadata>>();
  const metadataIn = (version: number, metadata: Metadata) => {
    const known = stamped.get(metadata) ?? new Map<number, Metadata>();
    stamped.set(metadata, known);
    const found = known.get(version) ?? { ...metadata, version };
    known.set(version, found);
    return found;
  };
  return (event: NewEvent): NewEvent => {
    const current = currentVersion(event.type, table);
    return current === 1 ? event : { ...event, metadata: metadataIn(current, event.metadata) };
  };
};
const stampAll = (writes: readonly StreamWrite[], table: Upcasters): readonly StreamWrite[] => {
  const stamp = createStamp(table);
  return writes.map((write) => ({ ...write, events: write.events.map(stamp) }));
};

/**
 * Wraps the store for code that interprets events: each event read is converted to its current version, and each
 * appended event names its version. Code that seals, exports, verifies or migrates a history uses the unwrapped store,
 * because hashes cover the stored shape.
 */
export const currentEvents = (stored: EventStore, table = upcasters): EventStore => {
  const upToDate = createReader(table);
  const eachUpToDate = async function* <E extends NewEvent>(batches: AsyncIterable<readonly E[]>) {
    for await (const batch of batches) yield upToDate.batch(batch);
  };
  return {
    ...(stored.rejectsWithoutTrace && { rejectsWithoutTrace: stored.rejectsWithoutTrace }),
    ...(stored.deadline && { deadline: stored.deadline }),
    append: (writes, deadline) => stored.append(stampAll(writes, table), deadline),
    adopt: (events) => stored.adopt(events),
    read: async (stream, deadline) => {
      const { events, revision } = await stored.read(stream, deadline);
      return { events: upToDate.batch(events), revision };
    },
    readAll: (after) => eachUpToDate(stored.readAll(after)),
    readOrganization: (organizationId, after) => eachUpToDate(stored.readOrganization(organizationId, after)),
    readOrganizationBackwards: (organizationId, upTo) =>
      eachUpToDate(stored.readOrganizationBackwards(organizationId, upTo)),
    subscribe: (after, signal) => eachUpToDate(stored.subscribe(after, signal)),
    head: () => stored.head(),
    newest: async () => {
      const newest = await stored.newest();
      return newest && upToDate.one(newest);
    },
    countAfter: (position) => stored.countAfter(position),
    close: () => stored.close(),
  };
};
