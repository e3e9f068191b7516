import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  excludeSystemEvents,
  NO_STREAM,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { collect, follow, numbered, numbersOf, placesOf } from '../../support/eventstoredb-double/client.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { until } from '../../support/eventually.js';

describe('the EventStoreDB double, as strict as a server,', () => {
  let double: EventStoreDouble;
  let client: EventStoreDBClient;
  beforeEach(async () => {
    double = await startEventStoreDouble();
    client = EventStoreDBClient.connectionString(double.url);
  });
  afterEach(async () => {
    await client.dispose();
    await double.close();
  });
  const append = (stream: string, n = 0) => client.appendToStream(stream, numbered('E', n));
  const at = (commit: bigint) => ({ commit, prepare: commit });

  it('rejects a position at which no record starts', async () => {
    await append('orders', 0);
    await append('orders', 1);
    const fromPosition = at((double.log[1]?.position ?? 0n) - 1n);
    const refused = { code: status.UNKNOWN, message: /Unexpected ReadAllResult: Error/ };
    await assert.rejects(collect(client.readAll({ fromPosition })), refused);
    await assert.rejects(collect(client.readAll({ fromPosition, direction: BACKWARDS })), refused);
    const { errors } = follow(client.subscribeToAll({ fromPosition, filter: excludeSystemEvents() }));
    await until('the subscription fails', () => errors.length === 1);
    assert.match(errors[0]?.message ?? '', /Unexpected FilteredReadAllResult: Error/);
  });

  it('reads nothing beyond its end, and makes a subscription from there wait until the log has passed it', async () => {
    await append('orders', 0);
    const fromPosition = at((double.log[0]?.position ?? 0n) + 250n);
    assert.deepEqual(await collect(client.readAll({ fromPosition })), []);
    const subscription = client.subscribeToAll({ fromPosition, filter: excludeSystemEvents() });
    const { seen } = follow(subscription);
    await once(subscription, 'caughtUp');
    for (const n of [1, 2, 3]) await append('orders', n);
    const later = double.log.filter(({ position }) => position > fromPosition.commit);
    assert.ok(later.length > 0 && later.length < 3);
    await until('all later events are seen', () => seen.length === later.length);
    assert.deepEqual(
      numbersOf(seen),
      later.map(({ data }) => (data as { n: number }).n),
    );
    await subscription.unsubscribe();
  });

  it('hides a deleted stream, sends only its links, and allows writing it again', async () => {
    for (const n of [0, 1]) await append('order-1', n);
    await append('order-2', 2);
    await client.deleteStream('order-1');
    await assert.rejects(collect(client.readStream('order-1')), StreamNotFoundError);
    const links = () => collect(client.readStream('$ce-order', { resolveLinkTos: true }));
    assert.deepEqual(placesOf(await links()), ['$ce-order/0', '$ce-order/1', '$ce-order/2 order-2/0']);
    const again = await client.appendToStream('order-1', numbered('E', 3), { expectedRevision: NO_STREAM });
    assert.equal(again.nextExpectedRevision, 2n);
    assert.deepEqual(placesOf(await collect(client.readStream('order-1'))), ['order-1/2']);
    assert.equal(placesOf(await links())[3], '$ce-order/3 order-1/2');
  });

  it('neither reads nor writes a stream that has a tombstone', async () => {
    await append('order-1');
    await client.tombstoneStream('order-1');
    await assert.rejects(collect(client.readStream('order-1')), StreamDeletedError);
    await assert.rejects(append('order-1'), { type: 'stream-deleted' });
  });

  it('starts a truncated stream at its first visible event, whatever revision was requested', async () => {
    for (let n = 0; n < 10; n++) await append('orders', n);
    await client.setStreamMetadata('orders', { maxCount: 4 });
    const read = async (options: Parameters<typeof client.readStream>[1]) =>
      numbersOf(await collect(client.readStream('orders', options)));
    assert.deepEqual(await read({ maxCount: 3 }), [6, 7, 8]);
    assert.deepEqual(await read({ fromRevision: 3n, maxCount: 3 }), [6, 7, 8]);
    assert.deepEqual(await read({ fromRevision: END, direction: BACKWARDS }), [9, 8, 7, 6]);
  });

  it('as a follower forwards appends, shows only its own events, and names the leader on request', async () => {
    await append('orders', 0);
    await double.demote();
    const other = EventStoreDBClient.connectionString(double.url);
    await append('orders', 1);
    const numbers = async (requiresLeader: boolean) =>
      numbersOf(await collect(other.readStream('orders', { requiresLeader })));
    assert.deepEqual(await numbers(false), [0]);
    assert.equal((await collect(other.readAll({ direction: BACKWARDS, fromPosition: END }))).length, 1);
    double.catchUp();
    assert.deepEqual(await numbers(false), [0, 1]);
    await assert.rejects(numbers(true), NotLeaderError);
    assert.deepEqual(await numbers(true), [0, 1]);
    await other.dispose();
  });

  it('drops a subscriber with more than 32 live events waiting', async () => {
    const subscription = client.subscribeToAll({ filter: excludeSystemEvents() });
    const { errors } = follow(subscription);
    await once(subscription, 'caughtUp');
    subscription.pause();
    const text = 'x'.repeat(20_000);
    for (let n = 0; n < 400 && errors.length === 0; n++)
      await client.appendToStream('orders', { ...numbered('E', n), metadata: { text } });
    await until('the subscriber is dropped', () => {
      subscription.resume();
      return errors.length === 1;
    });
    assert.match(errors[0]?.message ?? '', /Consumer too slow/);
  });

  it('delays the links of one category', async () => {
    double.categoriesLag(true, 'order');
    await append('order-1');
    await append('parcel-1');
    const linked = async (category: string) =>
      placesOf(await collect(client.readStream(`$ce-${category}`, { resolveLinkTos: true })));
    assert.deepEqual(await linked('parcel'), ['$ce-parcel/0 parcel-1/0']);
    await assert.rejects(linked('order'), StreamNotFoundError);
    double.categoriesLag(false);
    assert.deepEqual(await linked('order'), ['$ce-order/0 order-1/0']);
  });

  it('allows writes between two reads, and interrupts reads', async () => {
    for (let n = 0; n < 5; n++) await append('orders', n);
    const read: (string | undefined)[] = [];
    double.beforeRead(async (stream) => {
      read.push(stream);
      if (read.length === 2) await append('orders', 5);
    });
    assert.equal((await collect(client.readStream('orders'))).length, 5);
    assert.equal((await collect(client.readAll())).length, 6);
    assert.deepEqual(read, ['orders', undefined]);
    double.readPace({ breaksAfter: 2 });
    const seen: unknown[] = [];
    const reading = async () => {
      for await (const one of client.readStream('orders')) seen.push(one);
    };
    await assert.rejects(reading, { code: status.UNAVAILABLE });
    assert.equal(seen.length, 2);
  });
});
