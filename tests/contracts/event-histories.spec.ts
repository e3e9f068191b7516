import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beginning, type EventStore, type Recorded } from '../../application/ports/event-store.js';
import { eventStores } from '../support/engines/adapters.js';
import { collect, event, write } from '../support/engines/counted-events.js';
import { usePlace } from '../support/engines/places.js';

for (const [adapter, place] of Object.entries(eventStores))
  describe(`the organization histories on ${adapter}`, () => {
    const { open } = usePlace(place);
    let store: EventStore;
    let organization: string;
    const stream = (n: number) => `${organization}.thing-${n}`;
    beforeEach(async () => {
      store = await open();
      organization = `org_${randomUUID().replaceAll('-', '')}`;
    });

    it('are read as a prefix while others write, and continued without a gap', async () => {
      const writing = (async () => {
        for (const n of Array.from({ length: 120 }, (_, i) => i)) {
          const one = write(stream(n), [event(n)]);
          await store.append(n % 2 ? [one] : [one, write(`${organization}.thing-b${n}`, [event(n)])]);
        }
      })();
      const reads: (readonly Recorded[])[] = [];
      while (reads.length < 6) reads.push(await collect(store.readOrganization(organization, beginning)));
      const from = reads[0] ?? [];
      const rest = await collect(store.readOrganization(organization, from.at(-1)?.position ?? beginning));
      await writing;
      const all = await collect(store.readOrganization(organization, beginning));
      for (const found of [...reads, [...from, ...rest]]) assert.deepEqual(found, all.slice(0, found.length));
    });

    it('have the events of a command over streams of an organization and of the system in both histories', async () => {
      const start = await store.head();
      const own = write(stream(1), [event(1)]);
      const ofSystem = write(`system.thing-${organization}`, [event(2), event(3)]);
      await store.append([own, ofSystem]);
      await store.append([write(`system.thing-b${organization}`, [event(4)])]);
      const expected = (await collect(store.readAll(start))).filter((one) => one.stream.startsWith('system.'));
      const streams = ({ stream: name }: Recorded) => name;
      assert.deepEqual(expected.map(streams), [ofSystem.stream, ofSystem.stream, `system.thing-b${organization}`]);
      // Reads three times, because servers link events to their categories with a delay, and an adapter may read in
      // another way until the links exist.
      for (let i = 0; i < 3; i++) {
        assert.deepEqual(await collect(store.readOrganization('system', start)), expected);
        const newestFirst = await collect(store.readOrganizationBackwards('system', { position: await store.head() }));
        assert.deepEqual(newestFirst.slice(0, expected.length), expected.toReversed());
      }
      assert.deepEqual((await collect(store.readOrganization(organization, start))).map(streams), [own.stream]);
    });

    it('end with the newest event', async () => {
      const start = await store.head();
      await store.append([write(stream(1), [event(1), event(2)])]);
      const [last] = (await collect(store.readAll(start))).slice(-1);
      assert.deepEqual(await store.newest(), last);
    });
  });
