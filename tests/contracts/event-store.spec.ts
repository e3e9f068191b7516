import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  beginning,
  type EventStore,
  type Moment,
  noStream,
  type Position,
  type Recorded,
  WrongRevision,
} from '../../application/ports/event-store.js';
import { eventStores } from '../support/engines/adapters.js';
import { collect, event, numbers, write } from '../support/engines/counted-events.js';
import { usePlace } from '../support/engines/places.js';

const range = (length: number) => Array.from({ length }, (_, n) => n);

for (const [adapter, place] of Object.entries(eventStores))
  describe(`the event store on ${adapter}`, () => {
    const { open, close } = usePlace(place);
    let store: EventStore;
    let start: Position;
    let organization: string;
    const stream = (n: number) => `${organization}.thing-${n}`;
    beforeEach(async () => {
      store = await open();
      start = await store.head();
      organization = `org_${randomUUID().replaceAll('-', '')}`;
    });

    it('reads a stream that does not exist as empty', async () =>
      assert.deepEqual(await store.read(stream(1)), { events: [], revision: noStream }));

    it('rejects a read while it is being closed, rather than return too few events', async () => {
      const position = await store.append([write(stream(1), [event(1)])]);
      for (const turns of range(6)) {
        const other = await open();
        await other.head();
        const asking = range(20).map(() => Promise.all([other.head(), other.read(stream(1))]));
        for (const _ of range(turns)) await new Promise((resolve) => setImmediate(resolve));
        const closed = close(other);
        for (const one of await Promise.allSettled(asking))
          if (one.status === 'fulfilled')
            assert.deepEqual([one.value[0] >= position, numbers(one.value[1].events)], [true, [1]]);
        await closed;
      }
    });

    it('returns exactly the events that were stored', async () => {
      const odd = event(1, { text: 'Zürich \u{1f98a} "\\ \n', big: '1'.repeat(78), deep: { list: [null, true, 1.5] } });
      const position = await store.append([write(stream(1), [odd])]);
      const [read] = (await store.read(stream(1))).events;
      assert.deepEqual({ ...read }, { ...read, ...odd });
      const [found] = await collect(store.readAll(start));
      assert.ok(found);
      const { time, ...rest } = found;
      const bytes = Buffer.byteLength(JSON.stringify(odd.data));
      assert.deepEqual(rest, { ...odd, stream: stream(1), position, bytes });
      assert.ok(time > 0);
    });

    it('accepts every append at the revision that was read', async () => {
      for (const n of range(5)) {
        const { revision } = await store.read(stream(1));
        await store.append([write(stream(1), [event(2 * n), event(2 * n + 1)], revision)]);
      }
      assert.deepEqual(numbers((await store.read(stream(1))).events), range(10));
    });

    it('rejects an append at a stale revision and stores nothing', async () => {
      await store.append([write(stream(1), [event(1)])]);
      await assert.rejects(store.append([write(stream(1), [event(2)])]), WrongRevision);
      assert.equal((await store.read(stream(1))).events.length, 1);
    });

    it('rejects an append that expects a revision of a stream that does not exist', async () => {
      await assert.rejects(store.append([write(stream(1), [event(1)], 0)]), WrongRevision);
      assert.equal(await store.head(), start);
    });

    it('lets exactly one of many racing writers win, even from different processes', async () => {
      const other = await open();
      const race = await Promise.allSettled(
        range(32).map((n) => (n % 2 ? store : other).append([write(stream(1), [event(n)])])),
      );
      assert.equal(race.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const one of race) if (one.status === 'rejected') assert.ok(one.reason instanceof WrongRevision);
      assert.equal((await store.read(stream(1))).events.length, 1);
    });

    it('appends to many streams or to none', async () => {
      await store.append([write(stream(2), [event(0)])]);
      const streams = [stream(1), stream(2), stream(3)];
      await assert.rejects(store.append(streams.map((stream) => write(stream, [event(1)]))), WrongRevision);
      assert.deepEqual((await store.read(stream(1))).events, []);
      assert.deepEqual((await store.read(stream(3))).events, []);
      assert.equal((await collect(store.readAll(start))).length, 1);
      const read = await Promise.all(streams.map((stream) => store.read(stream)));
      await store.append(streams.map((stream, n) => write(stream, [event(n)], read[n]?.revision)));
      assert.deepEqual(numbers(await collect(store.readAll(start))), [0, 0, 1, 2]);
    });

    it('appends to a thousand streams at once', async () => {
      const writes = range(1000).map((n) => write(stream(n), [event(n)]));
      const position = await store.append(writes);
      const all = await collect(store.readAll(start));
      assert.deepEqual(numbers(all), range(1000));
      assert.equal(all.at(-1)?.position, position);
    });

    it('stores a write once when it is resent after its response was lost', async () => {
      const lost = [write(stream(1), [event(1), event(2)]), write(stream(2), [event(3)])];
      const position = await store.append(lost);
      assert.equal(await store.append(lost), position);
      const after = await store.read(stream(1));
      await store.append([write(stream(1), [event(4)], after.revision)]);
      assert.equal(await store.append(lost), position);
      assert.equal((await collect(store.readAll(start))).length, 4);
    });

    it('has the same order of events for all readers, with times that never go back', async () => {
      const positions = await Promise.all(
        range(200).map((n) => store.append([write(stream(n), [event(n), event(n)])])),
      );
      const all = await collect(store.readAll(start));
      assert.equal(all.length, 400);
      for (const [i, one] of all.entries()) {
        const before = all[i - 1];
        assert.ok(!before || (before.position < one.position && before.time <= one.time));
      }
      assert.equal(Math.max(...positions), all.at(-1)?.position);
      assert.equal(await store.head(), all.at(-1)?.position);
    });

    it('reads all events after a position, exclusive, in batches', async () => {
      for (const n of range(13))
        await store.append([
          write(
            stream(n),
            range(100).map((one) => event(one)),
          ),
        ]);
      const all = await collect(store.readAll(start));
      const middle = all[700];
      assert.ok(middle);
      assert.deepEqual(await collect(store.readAll(middle.position)), all.slice(701));
      assert.equal(await store.countAfter(middle.position), all.length - 701);
    });

    it('never splits an append across batches', async () => {
      for (const n of range(3)) await store.append(range(400).map((m) => write(stream(1000 * n + m), [event(n)])));
      const check = (batch: readonly Recorded[]) => {
        for (const n of range(3)) assert.ok([0, 400].includes(numbers(batch).filter((one) => one === n).length));
        return batch.length;
      };
      let read = 0;
      for await (const batch of store.readAll(start)) read += check(batch);
      assert.equal(read, 1200);
      let seen = 0;
      for await (const batch of store.subscribe(start, new AbortController().signal)) {
        seen += check(batch);
        if (seen === 1200) break;
      }
    });

    it('delivers an append as a whole to readers and subscribers', async () => {
      const sizes = [7, 1, 520, 2, ...range(30).map((n) => 2 + (n % 9))];
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const isEnd = (end: number) => sizes.some((_, i) => sizes.slice(0, i + 1).reduce((a, b) => a + b, 0) === end);
      /** Reads all events, and checks that every batch ends where an append ends. */
      const check = async (batches: AsyncIterable<readonly Recorded[]>) => {
        let seen = 0;
        for await (const batch of batches) {
          seen += batch.length;
          assert.ok(isEnd(seen), `a batch ended after ${seen} events, in the middle of an append`);
          if (seen === total) break;
        }
        assert.equal(seen, total);
      };
      const subscribed = check(store.subscribe(start, new AbortController().signal));
      for (const [n, size] of sizes.entries())
        await store.append([
          write(
            stream(n),
            range(size).map((one) => event(one)),
          ),
        ]);
      await subscribed;
      await check(store.readAll(start));
      await check(store.subscribe(start, new AbortController().signal));
    });

    it("reads one organization's history and no other's", async () => {
      const other = `${organization}x`;
      for (const n of range(20)) {
        const owner = n % 3 ? organization : `${organization}b`;
        await store.append([write(`${owner}.thing-a${n}`, [event(n)]), write(`${owner}.thing-b${n}`, [event(n)])]);
        await store.append([write(`${other}.thing-${n}`, [event(n)])]);
      }
      assert.deepEqual(
        numbers(await collect(store.readOrganization(organization, beginning))),
        range(20)
          .filter((n) => n % 3)
          .flatMap((n) => [n, n]),
      );
      const [, second] = await collect(store.readOrganization(other, beginning));
      assert.ok(second);
      assert.deepEqual(numbers(await collect(store.readOrganization(other, second.position))), range(20).slice(2));
      assert.deepEqual(await collect(store.readOrganization(`${organization}none`, beginning)), []);
    });

    it("reads one organization's history, and no other's, backwards from any position or time", async () => {
      const other = `${organization}x`;
      for (const n of range(40)) {
        await store.append([write(stream(n), [event(n)]), write(`${organization}.thing-b${n}`, [event(n), event(n)])]);
        await store.append([write(`${other}.thing-${n}`, [event(n)])]);
      }
      await store.append([write(`${organization}.thing-alone`, [event(40)])]);
      const all = await collect(store.readOrganization(organization, beginning));
      assert.equal(all.length, 121);
      const backwards = (upTo: Moment) => collect(store.readOrganizationBackwards(organization, upTo));
      assert.deepEqual(await backwards({ position: Number.MAX_SAFE_INTEGER }), all.toReversed());
      assert.deepEqual(await backwards({ time: Number.MAX_SAFE_INTEGER }), all.toReversed());
      assert.deepEqual(await backwards({ position: beginning }), []);
      assert.deepEqual(await backwards({ time: 0 }), []);
      for (const { position, time } of [all[0], all[1], all[2], all[61], all[119]].flatMap((one) => one ?? [])) {
        const until = (isIn: (one: Recorded) => boolean) => all.filter(isIn).toReversed();
        assert.deepEqual(
          await backwards({ position }),
          until((one) => one.position <= position),
        );
        assert.deepEqual(
          await backwards({ position: position - 1 }),
          until((one) => one.position < position),
        );
        assert.deepEqual(
          await backwards({ time }),
          until((one) => one.time <= time),
        );
      }
      const nobody = store.readOrganizationBackwards(`${organization}none`, { position: Number.MAX_SAFE_INTEGER });
      assert.deepEqual(await collect(nobody), []);
    });

    it('delivers past events to a subscription and then new ones, even those of another process', async () => {
      const other = await open();
      await store.append([write(stream(1), [event(0), event(1)])]);
      const stop = new AbortController();
      const seen: number[] = [];
      let more = store.append([write(stream(2), [event(2)])]);
      for await (const batch of store.subscribe(start, stop.signal)) {
        seen.push(...numbers(batch));
        await more;
        if (seen.length === 3) more = other.append([write(stream(3), [event(3)])]);
        if (seen.length === 4) more = store.append([write(stream(4), [event(4)])]);
        if (seen.length === 5) stop.abort();
      }
      assert.deepEqual(seen, range(5));
    });

    it('starts a subscription after a given position', async () => {
      const position = await store.append([write(stream(1), [event(0)])]);
      await store.append([write(stream(2), [event(1)])]);
      for await (const batch of store.subscribe(position, new AbortController().signal)) {
        assert.deepEqual(numbers(batch), [1]);
        break;
      }
    });

    it('ends a waiting subscription when its signal is aborted', async () => {
      const stop = new AbortController();
      const reading = collect(store.subscribe(start, stop.signal));
      setImmediate(() => stop.abort());
      assert.deepEqual(await reading, []);
    });

    it('has all events after it is reopened', async () => {
      await Promise.all(range(50).map((n) => store.append([write(stream(n), [event(n)])])));
      const before = await collect(store.readAll(start));
      await close(store);
      store = await open();
      assert.deepEqual(await collect(store.readAll(start)), before);
    });
  });
