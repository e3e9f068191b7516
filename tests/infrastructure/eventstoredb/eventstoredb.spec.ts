import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import {
  beginning,
  type EventStore,
  noStream,
  type Recorded,
  WrongRevision,
} from '../../../application/ports/event-store.js';
import { createCommits } from '../../../infrastructure/eventstoredb/commit.js';
import { type Connection, connect } from '../../../infrastructure/eventstoredb/connection.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { commitStreamOf, reservationRecord } from '../../../infrastructure/eventstoredb/records.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { until } from '../../support/eventually.js';
import { organizationCreated } from '../../support/histories/events.js';

/** Makes writes to several streams of one organization. */
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

describe('the EventStoreDB adapter under faults', () => {
  let double: EventStoreDouble;
  let store: EventStore;
  beforeEach(async () => {
    double = await startEventStoreDouble();
    store = await eventStoreDb(double.url, ['organization', 'thing']);
  });
  afterEach(async () => {
    await store.close();
    await double.close();
  });

  for (const when of ['before', 'after'] as const)
    for (const code of [status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.INTERNAL])
      it(`stores a write once when a call fails with ${status[code]} ${when} it takes effect`, async () => {
        const write = organizationCreated('once');
        double.fail('append', code, 1, when);
        await store.append([write]);
        assert.deepEqual(
          (await all(store.readAll(beginning))).map(({ id }) => id),
          write.events.map(({ id }) => id),
        );
      });

  for (const rpc of ['append', 'batchAppend'] as const)
    for (const when of ['before', 'after'] as const)
      it(`appends to many streams once while calls of ${rpc} keep failing ${when} they take effect`, async () => {
        const writes = wide(20);
        // Fails the one call that would reserve all streams. The store then reserves them with individual appends,
        // which meet the faults of `rpc`.
        double.fail('batchAppend', status.UNAVAILABLE, 1, when);
        double.fail(rpc, status.UNAVAILABLE, 3, when);
        await store.append(writes);
        assert.equal((await all(store.readAll(beginning))).length, 20);
      });

  it('reserves many streams in one call', async () => {
    double.fail('append', status.INTERNAL, 1);
    await store.append(wide(100));
    assert.equal(double.appends, 102, 'a hundred reservations, a commit that fails, and the commit');
  });

  it('names the stream, among many, that another command has changed', async () => {
    const [, , taken] = wide(3);
    const writes = wide(20).map((write, n) => (n === 7 && taken ? { ...write, stream: taken.stream } : write));
    await store.append(taken ? [taken] : []);
    await assert.rejects(store.append(writes), (error) => {
      assert.ok(error instanceof WrongRevision);
      assert.match(error.message, new RegExp(String(taken?.stream).replace('.', '\\.')));
      return true;
    });
    assert.equal((await all(store.readAll(beginning))).length, 1);
  });

  it('resolves a write whose response never arrives by sending it again', async () => {
    const write = organizationCreated('unanswered');
    double.muteAfterCommit(true);
    const appended = store.append([write]);
    await until('an append is left without an answer', () => double.unanswered > 0);
    double.muteAfterCommit(false);
    await appended;
    assert.equal((await all(store.readAll(beginning))).length, 1);
  });

  it('reports after a few attempts that the store is unavailable', async () => {
    double.mute(true);
    await assert.rejects(store.append([organizationCreated('mute')]), { code: 'UNAVAILABLE' });
    assert.ok(double.unanswered >= 2 && double.unanswered <= 4, `${double.unanswered} tries`);
    double.mute(false);
    assert.equal(await store.head(), beginning);
  });

  it('retries a read that fails', async () => {
    await store.append([organizationCreated('read')]);
    double.fail('read', status.UNAVAILABLE, 2);
    assert.equal((await all(store.readAll(beginning))).length, 1);
  });

  it('continues a subscription through dropped connections and restarts, without gap or repetition', async () => {
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

  it("reads an organization's history whether the server's categories are missing, late or up to date", async () => {
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

describe('a commit over several streams', () => {
  let double: EventStoreDouble;
  let store: EventStore;
  let connection: Connection;
  beforeEach(async () => {
    double = await startEventStoreDouble();
    store = await eventStoreDb(double.url, ['thing']);
    connection = await connect(double.url);
  });
  afterEach(async () => {
    await Promise.all([store.close(), connection.close()]);
    await double.close();
  });

  /** Leaves the reservations of a process that died after it had reserved some of the streams. */
  const dieAfter = async (count: number, writes: ReturnType<typeof wide>) => {
    const commitStream = commitStreamOf(writes);
    for (const write of writes.slice(0, count))
      await connection.append(write.stream, write.expected, [reservationRecord(commitStream, write)]);
  };

  it('shows no event and blocks no stream when its writer dies in the middle', async () => {
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

  it('is rejected as a whole once a reader has declared its writer dead', async () => {
    const writes = wide(3);
    await dieAfter(3, writes);
    assert.deepEqual((await store.read(writes[0]?.stream ?? '')).events, []);
    await assert.rejects(createCommits(connection).write(writes), WrongRevision);
    assert.deepEqual(await all(store.readAll(beginning)), []);
  });

  it('becomes visible to a reader that waits at its reservation', async () => {
    const writes = wide(2);
    await dieAfter(2, writes);
    const reading = store.read(writes[0]?.stream ?? '');
    await createCommits(connection).write(writes);
    assert.equal((await reading).events.length, 1);
  });

  it('gives each event a unique position, after which reading can continue', async () => {
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

  it('rejects more than 2047 events', () =>
    assert.rejects(store.append(wide(2048)), /2048\. At most 2047 are allowed/));
});
