import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import {
  beginning,
  type EventStore,
  noStream,
  type Recorded,
  WrongRevision,
} from '../../application/ports/event-store.js';
import { createCommits } from '../../infrastructure/eventstoredb/commit.js';
import { type Connection, connect } from '../../infrastructure/eventstoredb/connection.js';
import { eventStoreDb } from '../../infrastructure/eventstoredb/event-store.js';
import { commitStreamOf, reservation } from '../../infrastructure/eventstoredb/records.js';
import { organizationCreated } from '../support/events.js';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb-double/server.js';

/** Writes to several streams of one organization. */
const wide = (count: number) => {
  const { stream, events } = organizationCreated('wide');
  const [organization] = stream.split('.');
  return Array.from({ length: count }, (_, n) => ({
    stream: `${organization}.thing-${n}`,
    expected: noStream,
    events: events.map((event) => ({ ...event, id: randomUUID(), data: { n } })),
  }));
};
const all = async (batches: AsyncIterable<readonly Recorded[]>) => {
  const found: Recorded[] = [];
  for await (const batch of batches) found.push(...batch);
  return found;
};

for (const batchAppend of [true, false])
  describe(`EventStoreDB adapter under faults, ${batchAppend ? 'with' : 'without'} batch append`, () => {
    const append = batchAppend ? 'batchAppend' : 'append';
    let double: EventStoreDouble;
    let store: EventStore;
    beforeEach(async () => {
      double = await startEventStoreDouble({ batchAppend });
      store = eventStoreDb(double.url, ['organization', 'thing']);
    });
    afterEach(async () => {
      await store.close();
      await double.close();
    });

    for (const when of ['before', 'after'] as const)
      for (const code of [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.INTERNAL])
        it(`stores a write once when a call fails with ${status[code]} ${when} it is done`, async () => {
          const write = organizationCreated('once');
          double.fail(append, code, 1, when);
          await store.append([write]);
          assert.deepEqual(
            (await all(store.readAll(beginning))).map(({ id }) => id),
            write.events.map(({ id }) => id),
          );
        });

    it('appends to many streams once, though calls keep failing', async () => {
      const writes = wide(20);
      double.fail(append, status.UNAVAILABLE, 3, 'after');
      await store.append(writes);
      assert.equal((await all(store.readAll(beginning))).length, 20);
    });

    it('resolves a write whose answer never comes by sending it again', async () => {
      const write = organizationCreated('unanswered');
      double.muteAfterCommit(true);
      const appended = store.append([write]);
      while (double.unanswered === 0) await new Promise(setImmediate);
      double.muteAfterCommit(false);
      await appended;
      assert.equal((await all(store.readAll(beginning))).length, 1);
    });

    it('tells a caller that the store does not work, in time', async () => {
      double.mute(true);
      const started = Date.now();
      await assert.rejects(store.append([organizationCreated('mute')]), { code: 'UNAVAILABLE' });
      assert.ok(Date.now() - started < 5000);
      double.mute(false);
      assert.equal(await store.head(), beginning);
    });

    it('reads again when a read fails', async () => {
      await store.append([organizationCreated('read')]);
      double.fail('read', status.UNAVAILABLE, 2);
      assert.equal((await all(store.readAll(beginning))).length, 1);
    });

    it('goes on with a subscription that was dropped, stopped and started again, without gap or repetition', async () => {
      const seen: string[] = [];
      const stop = new AbortController();
      const reading = (async () => {
        for await (const batch of store.subscribe(beginning, stop.signal)) {
          seen.push(...batch.map(({ id }) => id));
          if (seen.length >= 60) stop.abort();
        }
      })();
      const expected: string[] = [];
      for (let round = 0; round < 6; round++) {
        for (let n = 0; n < 10; n++) {
          const write = organizationCreated(`${round}-${n}`);
          expected.push(write.events[0]?.id ?? '');
          await store.append([write]);
        }
        if (round % 2) double.dropConnections();
        else {
          await double.stop();
          await double.start();
        }
      }
      await reading;
      assert.deepEqual(seen, expected);
    });

    it("reads an organization's history whether or not the server's categories are there and up to date", async () => {
      const writes = wide(5);
      const [organization = ''] = writes[0]?.stream.split('.') ?? [];
      await store.append(writes);
      const history = async () => (await all(store.readOrganization(organization, beginning))).map(({ data }) => data);
      const expected = [0, 1, 2, 3, 4].map((n) => ({ n }));
      assert.deepEqual(await history(), expected);
      double.categoriesLag(true);
      await store.append([{ ...organizationCreated('late'), stream: `${organization}.organization-late` }]);
      const late = await all(store.readOrganization(organization, beginning));
      assert.equal(late.length, 6);
      const upTo = { position: Number.MAX_SAFE_INTEGER };
      assert.deepEqual(await all(store.readOrganizationBackwards(organization, upTo)), late.toReversed());
    });
  });

describe('commit over several streams', () => {
  let double: EventStoreDouble;
  let store: EventStore;
  let connection: Connection;
  beforeEach(async () => {
    double = await startEventStoreDouble();
    store = eventStoreDb(double.url, ['thing']);
    connection = connect(double.url);
  });
  afterEach(async () => {
    await Promise.all([store.close(), connection.close()]);
    await double.close();
  });

  /** What a process leaves behind that dies after it has reserved some of the streams. */
  const dieAfter = async (count: number, writes: ReturnType<typeof wide>) => {
    const commitStream = commitStreamOf(writes);
    for (const write of writes.slice(0, count))
      await connection.append(write.stream, write.expected, [reservation(commitStream, write)]);
  };

  it('leaves no half of a batch visible and no stream stuck when the writer dies in the middle', async () => {
    const writes = wide(30);
    await dieAfter(20, writes);
    assert.deepEqual(await all(store.readAll(beginning)), []);
    const reads = await Promise.all(writes.map(({ stream }) => store.read(stream)));
    assert.ok(reads.every(({ events }) => events.length === 0));
    await store.append(
      writes.map(({ stream, events }, n) => ({
        stream,
        expected: reads[n]?.revision ?? noStream,
        events: events.map((event) => ({ ...event, id: randomUUID() })),
      })),
    );
    assert.equal((await all(store.readAll(beginning))).length, 30);
  });

  it('lets a writer that was taken for dead lose, all of it', async () => {
    const writes = wide(3);
    await dieAfter(3, writes);
    assert.deepEqual((await store.read(writes[0]?.stream ?? '')).events, []);
    await assert.rejects(createCommits(connection).write(writes), WrongRevision);
    assert.deepEqual(await all(store.readAll(beginning)), []);
  });

  it('shows readers who meet a reservation what its commit decides meanwhile', async () => {
    const writes = wide(2);
    await dieAfter(2, writes);
    const reading = store.read(writes[0]?.stream ?? '');
    await createCommits(connection).write(writes);
    assert.equal((await reading).events.length, 1);
  });

  it('puts all events of a commit at positions of their own, from any of which reading goes on', async () => {
    await store.append(wide(10));
    const recorded = await all(store.readAll(beginning));
    assert.equal(new Set(recorded.map(({ position }) => position)).size, 10);
    for (const [n, { position }] of recorded.entries()) {
      assert.deepEqual(await all(store.readAll(position)), recorded.slice(n + 1));
      if (n === 9) continue;
      for await (const batch of store.subscribe(position, new AbortController().signal)) {
        assert.deepEqual(batch, recorded.slice(n + 1));
        break;
      }
    }
  });

  it('refuses more events than a commit can number', () =>
    assert.rejects(store.append(wide(2048)), /2047 events at once/));
});
