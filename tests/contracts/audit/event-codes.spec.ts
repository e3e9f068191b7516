import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { authenticatedAppends } from '../../../application/commands/authenticated-appends.js';
import {
  beginning,
  type EventStore,
  type NewEvent,
  noStream,
  type Recorded,
} from '../../../application/ports/event-store.js';
import { notary } from '../../support/audit/sealed-history.js';
import { eventStores } from '../../support/engines/adapters.js';
import { collect } from '../../support/engines/counted-events.js';
import { usePlace } from '../../support/engines/places.js';
import { testSystem } from '../../support/silent.js';

const golden = JSON.parse(readFileSync('tests/golden/events.json', 'utf8')) as Omit<NewEvent, 'id'>[];
const eventsOf = (organizationId: string): NewEvent[] =>
  golden.map(({ type, data, metadata }) => ({
    id: randomUUID(),
    type,
    data,
    metadata: { ...metadata, organizationId },
  }));

for (const [adapter, place] of Object.entries(eventStores))
  describe(`codes of events on ${adapter}`, () => {
    const { open } = usePlace(place);
    const { open: openSource } = usePlace(eventStores.sqlite);
    let store: EventStore;
    let organizationId: string;
    beforeEach(async () => {
      store = authenticatedAppends(await open(), notary, testSystem);
      organizationId = `org_${randomUUID().replaceAll('-', '')}`;
    });

    const assertAuthentic = (events: readonly Recorded[], count: number) => {
      assert.equal(events.length, count);
      for (const event of events) {
        assert.ok(notary.isAuthentic(event), event.type);
        assert.ok(!notary.isAuthentic({ ...event, id: randomUUID() }), event.type);
      }
    };

    it('are valid when the events are read, by position and by organization', async () => {
      const [before, events] = [await store.head(), eventsOf(organizationId)];
      await store.append([{ stream: `${organizationId}.thing-1`, expected: noStream, events, divisible: true }]);
      assertAuthentic(await collect(store.readAll(before)), events.length);
      assertAuthentic(await collect(store.readOrganization(organizationId, beginning)), events.length);
    });

    it('are valid for the events of an append to many streams', async () => {
      const events = eventsOf(organizationId);
      const writes = events.map((event, n) => ({
        stream: `${organizationId}.thing-${n}`,
        expected: noStream,
        events: [event],
      }));
      await store.append(writes);
      assertAuthentic(await collect(store.readOrganization(organizationId, beginning)), events.length);
    });

    it('stay valid when another store adopts the events', async () => {
      const events = eventsOf(organizationId);
      const source = authenticatedAppends(await openSource(), notary, testSystem);
      await source.append([{ stream: `${organizationId}.thing-1`, expected: noStream, events }]);
      await store.adopt(await collect(source.readAll(beginning)));
      assertAuthentic(await collect(store.readOrganization(organizationId, beginning)), events.length);
    });
  });
