import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { EventStore, Recorded } from '../../application/ports/event-store.js';
import { eventStores } from '../support/engines/adapters.js';
import { collect, event, numbers, write } from '../support/engines/counted-events.js';
import { usePlace } from '../support/engines/places.js';

for (const [adapter, place] of Object.entries(eventStores))
  describe(`importing events into the event store on ${adapter}`, () => {
    const { open } = usePlace(place);
    const organization = `org_${randomUUID().replaceAll('-', '')}`;
    const stream = (n: number) => `${organization}.thing-${n}`;
    let store: EventStore;

    it('keeps the order of thousands of events across hundreds of streams, in batches of any size', async () => {
      store = await open();
      const start = await store.head();
      const recorded = Array.from({ length: 3000 }, (_, n) => ({
        ...event(n),
        stream: `${organization}.thing-many${(n * n) % 499}`,
        position: n + 1,
        time: 1_700_000_000_000 + n,
        bytes: 10,
      }));
      for (const [from, to] of [
        [0, 1],
        [1, 1300],
        [1300, 1301],
        [1301, 3000],
      ])
        await store.adopt(recorded.slice(from, to));
      const kept = await collect(store.readAll(start));
      assert.deepEqual(
        kept.map(({ id, stream: name }) => [id, name]),
        recorded.map(({ id, stream: name }) => [id, name]),
      );
      const [first] = recorded;
      assert.equal((await store.read(first?.stream ?? '')).events[0]?.id, first?.id);
    });

    it('keeps the events of another store unchanged, and accepts new events after them', async () => {
      store = await open();
      const start = await store.head();
      const other = `${organization}other`;
      const of = [0, 1, 1, 1, 0].map((n) => stream(n));
      const recorded = [...of, `${other}.thing-1`, stream(0)].map((name, n) => ({
        ...event(n),
        stream: name,
        position: 7 * n,
        time: 1_700_000_000_000 + 1000 * Math.floor(n / 2),
        bytes: Buffer.byteLength(JSON.stringify(event(n).data)),
      }));
      await store.adopt(recorded.slice(0, 3));
      await store.adopt(recorded.slice(3));
      const kept = await collect(store.readAll(start));
      const withoutPosition = (events: readonly Recorded[]) => events.map(({ position, ...rest }) => rest);
      assert.deepEqual(withoutPosition(kept), withoutPosition(recorded));
      const own = kept.filter((one) => one.stream.startsWith(`${organization}.`));
      assert.deepEqual(await collect(store.readOrganization(organization, start)), own);
      const early = store.readOrganizationBackwards(organization, { time: 1_700_000_001_000 });
      assert.deepEqual(numbers(await collect(early)), [3, 2, 1, 0]);
      const { events, revision } = await store.read(stream(0));
      assert.deepEqual(
        events.map(({ id, metadata }) => ({ id, metadata })),
        recorded.filter((one) => one.stream === stream(0)).map(({ id, metadata }) => ({ id, metadata })),
      );
      await store.append([write(stream(0), [event(7)], revision), write(stream(2), [event(8)])]);
      const after = await collect(store.readAll(kept.at(-1)?.position ?? start));
      assert.deepEqual(numbers(after), [7, 8]);
      assert.ok(after.every(({ time }) => time > 1_700_000_003_000));
    });
  });
