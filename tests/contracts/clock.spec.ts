import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createHandle } from '../../application/commands/handle.js';
import { positionAt } from '../../application/commands/position-at.js';
import {
  beginning,
  clockStream,
  type EventStore,
  type Metadata,
  type NewEvent,
  noStream,
  type Recorded,
} from '../../application/ports/event-store.js';
import { createClockKeeper } from '../../application/processes/keep-clock.js';
import { eventStores } from '../support/engines/adapters.js';
import { usePlace } from '../support/engines/places.js';
import { testSystem } from '../support/silent.js';

const day = 86_400_000;
const minute = 60_000;
const organizationId = `org_${'c'.repeat(32)}`;
const metadata = { organizationId, variant: 'global', actor: { kind: 'process', id: 'p' } } as unknown as Metadata;

for (const [adapter, place] of Object.entries(eventStores))
  describe(`the event clock on ${adapter}`, () => {
    const { open } = usePlace(place);
    let store: EventStore;
    let start: number;
    let stored: number;
    beforeEach(async () => {
      store = await open();
      [start, stored] = [Date.now(), 0];
    });

    const one = () => ({ id: randomUUID(), type: 'Happened', data: { n: stored }, metadata });
    const nextStream = () => `${organizationId}.thing-${stored++}`;
    /** Stores an event dated by a clock that is off by the given time, in milliseconds. */
    const dated = async (offMs: number) => {
      const event = { ...one(), stream: nextStream(), position: 0, time: start + offMs, bytes: 0 };
      await store.adopt([event as Recorded]);
    };
    const append = () => store.append([{ stream: nextStream(), expected: noStream, events: [one()] }]);
    const all = async () => {
      const found: Recorded[] = [];
      for await (const batch of store.readAll(beginning)) found.push(...batch);
      return found;
    };
    const logged: string[] = [];
    /** Runs the clock keeper the given number of times, with a clock that is off by the given time. */
    const keep = async (times = 1, offMs = 0) => {
      const stop = new AbortController();
      const note = (_: object, message: string) => logged.push(message);
      let left = times;
      const system = {
        ...testSystem,
        now: () => Date.now() + offMs,
        sleep: async () => (--left === 0 ? stop.abort() : undefined),
        log: { ...testSystem.log, warn: note, error: note },
      };
      logged.length = 0;
      await createClockKeeper({ events: store, handle: createHandle(store, system), system })(stop.signal);
    };
    const positionOf = (time: number) => positionAt(store, organizationId, { time });

    it('is corrected by one recorded event after it jumped ahead, and continues from there', async () => {
      await dated(-day);
      await dated(30 * day);
      await keep(3);
      const { events } = await store.read(clockStream);
      assert.deepEqual(
        events.map(({ type }) => type),
        ['ClockCorrected'],
      );
      const { from, to } = (events[0] as NewEvent).data as { from: number; to: number };
      assert.deepEqual([from, to >= start], [start + 30 * day, true]);
      assert.equal(logged.length, 1);
      await append();
      const [, , corrected, last] = await all();
      assert.ok(corrected && last && corrected.time <= last.time && last.time < start + day);
    });

    it('maps a time to the last position committed at or before it', async () => {
      await dated(-2 * day);
      await dated(-day);
      await dated(30 * day);
      await dated(31 * day);
      await keep();
      await append();
      const every = await all();
      const events = every.filter(({ stream }) => stream.startsWith(organizationId));
      const times = [-3 * day, -2 * day, -1.5 * day, -day, -minute, minute * 60, 30 * day, 32 * day].map(
        (off) => start + off,
      );
      const last = events.at(-1) as Recorded;
      for (const time of [...times, last.time, last.time - 1]) {
        const upTo = every.findLast((event) => event.time <= time)?.position ?? beginning;
        const ought = events.findLast(({ position }) => position <= upTo)?.position ?? beginning;
        assert.equal(await positionOf(time), ought, `${time - start}`);
      }
    });

    it('is not corrected when it is slightly ahead, or behind the first event', async () => {
      await dated(-day);
      await dated(minute);
      await keep();
      assert.deepEqual((await store.read(clockStream)).events, []);
      await keep(2, -40 * day);
      assert.deepEqual((await store.read(clockStream)).events, []);
      assert.deepEqual(
        new Set(logged),
        new Set(['Clock of this machine is behind the first event. Synchronize it by NTP']),
      );
    });

    it('needs no correction in an empty store', async () => {
      await keep();
      assert.deepEqual(await all(), []);
    });
  });
