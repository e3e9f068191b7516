import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  BACKWARDS,
  binaryEvent,
  END,
  EventStoreDBClient,
  eventTypeFilter,
  excludeSystemEvents,
  jsonEvent,
  NO_STREAM,
  START,
  STREAM_EXISTS,
  StreamNotFoundError,
  streamNameFilter,
  UnavailableError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { collect, follow, numbered, numbersOf, placesOf } from '../../support/eventstoredb-double/client.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { until } from '../../support/eventually.js';

for (const batchAppend of [true, false])
  describe(`the EventStoreDB double ${batchAppend ? 'with' : 'without'} batch append`, () => {
    const rpc = batchAppend ? 'batchAppend' : 'append';
    let double: EventStoreDouble;
    let client: EventStoreDBClient;
    beforeEach(async () => {
      double = await startEventStoreDouble({ batchAppend });
      client = EventStoreDBClient.connectionString(double.url);
    });
    afterEach(async () => {
      await client.dispose();
      await double.close();
    });
    const append = (stream: string, n = 0) => client.appendToStream(stream, numbered('E', n));
    const appended = (stream: string) =>
      append(stream).then(
        () => true,
        () => false,
      );

    it('appends to a stream and reads it both ways', async () => {
      const first = await client.appendToStream('orders', [numbered('A', 0), numbered('B', 1)], {
        expectedRevision: NO_STREAM,
      });
      assert.deepEqual([first.success, first.nextExpectedRevision], [true, 1n]);
      const next = await client.appendToStream('orders', numbered('C', 2), { expectedRevision: 1n });
      assert.deepEqual([next.nextExpectedRevision, next.position?.commit], [2n, double.log[2]?.position]);
      const read = async (options: Parameters<typeof client.readStream>[1]) =>
        numbersOf(await collect(client.readStream('orders', options)));
      assert.deepEqual(await read({}), [0, 1, 2]);
      assert.deepEqual(await read({ fromRevision: 1n, maxCount: 1 }), [1]);
      assert.deepEqual(await read({ fromRevision: END, direction: BACKWARDS, maxCount: 2 }), [2, 1]);
      assert.deepEqual(await read({ fromRevision: 1n, direction: BACKWARDS }), [1, 0]);
      assert.deepEqual(await read({ fromRevision: START, direction: BACKWARDS }), [0]);
    });

    it('returns all data and metadata of an event', async () => {
      const [metadata, before] = [{ $correlationId: 'x' }, Date.now()];
      const json = jsonEvent({ type: 'Json', data: { text: 'päge' }, metadata });
      const binary = binaryEvent({ type: 'Binary', data: Buffer.from([0, 255]) });
      await client.appendToStream('ünï-1', [json, binary]);
      const [one, two] = (await collect(client.readStream('ünï-1'))).map((found) => found.event);
      assert.deepEqual([one?.id, one?.type, one?.data, one?.metadata], [json.id, 'Json', { text: 'päge' }, metadata]);
      assert.ok(Number(one?.created) >= before && Number(one?.created) <= Date.now());
      assert.deepEqual([two?.isJson, Buffer.from(two?.data as Uint8Array)], [false, Buffer.from([0, 255])]);
    });

    it('accepts an append of up to 1 MiB, and rejects a larger one with the limit and without a trace', async () => {
      const events = (count: number) =>
        Array.from({ length: count }, () => jsonEvent({ type: 'L', data: { text: 'x'.repeat(100_000) } }));
      const { nextExpectedRevision } = await client.appendToStream('large', events(10), {
        expectedRevision: NO_STREAM,
      });
      assert.equal(nextExpectedRevision, 9n);
      await assert.rejects(client.appendToStream('larger', events(11), { expectedRevision: NO_STREAM }), {
        type: 'maximum-append-size-exceeded',
        maxAppendSize: 1_048_576,
      });
      assert.equal((await collect(client.readStream('large'))).length, 10);
      await assert.rejects(collect(client.readStream('larger')), { type: 'stream-not-found' });
    });

    it("rejects a wrong expected revision and reports the stream's own", async () => {
      await append('orders');
      const refused = (
        stream: string,
        expected: bigint | 'no_stream' | 'stream_exists',
        actual: bigint | 'no_stream',
      ) =>
        assert.rejects(
          client.appendToStream(stream, numbered('B'), { expectedRevision: expected }),
          (error: WrongExpectedVersionError) => {
            assert.ok(error instanceof WrongExpectedVersionError);
            const { streamName, expectedVersion, actualVersion } = error;
            assert.deepEqual([streamName, expectedVersion, actualVersion], [stream, expected, actual]);
            return true;
          },
        );
      await refused('orders', NO_STREAM, 0n);
      await refused('orders', 5n, 0n);
      await refused('nothing', STREAM_EXISTS, 'no_stream');
      await refused('nothing', 0n, 'no_stream');
      assert.equal(double.log.length, 1);
    });

    it('answers a repeated append like the first one and writes nothing', async () => {
      const [first, second] = [[numbered('A'), numbered('B')], [numbered('C')]];
      const created = await client.appendToStream('orders', first, { expectedRevision: NO_STREAM });
      const extended = await client.appendToStream('orders', second, { expectedRevision: 1n });
      assert.deepEqual(await client.appendToStream('orders', first, { expectedRevision: NO_STREAM }), created);
      assert.deepEqual(await client.appendToStream('orders', second, { expectedRevision: 1n }), extended);
      assert.deepEqual(await client.appendToStream('orders', first), created);
      await assert.rejects(
        client.appendToStream('orders', second, { expectedRevision: 0n }),
        WrongExpectedVersionError,
      );
      assert.equal(double.log.length, 3);
    });

    it('reports a stream without events as missing, and keeps its metadata', async () => {
      await assert.rejects(
        collect(client.readStream('orders')),
        (error: StreamNotFoundError) => error instanceof StreamNotFoundError && error.streamName === 'orders',
      );
      await client.setStreamMetadata('orders', { maxCount: 3 });
      assert.deepEqual((await client.getStreamMetadata('orders')).metadata, { maxCount: 3 });
    });

    it('reads $all both ways, at positions with gaps', async () => {
      for (const n of [0, 1, 2, 3, 4]) await append(`stream${n % 2}`, n);
      const read = async (options: Parameters<typeof client.readAll>[0]) =>
        numbersOf(await collect(client.readAll(options)));
      const commit = double.log[2]?.position ?? 0n;
      const fromPosition = { commit, prepare: commit };
      assert.deepEqual(await read({}), [0, 1, 2, 3, 4]);
      assert.deepEqual(await read({ fromPosition }), [2, 3, 4]);
      assert.deepEqual(await read({ fromPosition, direction: BACKWARDS }), [1, 0]);
      assert.deepEqual(await read({ fromPosition: START, direction: BACKWARDS }), []);
      assert.deepEqual(await read({ fromPosition: END, direction: BACKWARDS, maxCount: 2 }), [4, 3]);
      const gaps = double.log.map(({ position }, index, log) => position - (log[index - 1]?.position ?? 0n));
      assert.ok(gaps.every((gap) => gap >= 100n));
    });

    it('delivers a filtered subscription to $all from a position, with checkpoints, and continues live', async () => {
      for (let n = 0; n < 50; n++) await append(`${n % 2 ? 'odd' : 'even'}${n}`, n);
      const position = (n: number) => double.log[n]?.position ?? 0n;
      const checkpoints: bigint[] = [];
      const checkpointReached = async (_: unknown, { commit }: { commit: bigint }) => void checkpoints.push(commit);
      const subscription = client.subscribeToAll({
        fromPosition: { commit: position(20), prepare: position(20) },
        filter: streamNameFilter({ prefixes: ['odd'], maxSearchWindow: 10, checkpointReached }),
      });
      const { seen } = follow(subscription);
      await Promise.all([once(subscription, 'confirmation'), once(subscription, 'caughtUp')]);
      const missed = Array.from({ length: 50 }, (_, n) => n).filter((n) => n > 20 && n % 2);
      await until('the missed events are seen', () => seen.length === missed.length);
      assert.deepEqual(checkpoints, [position(30), position(40)]);
      await append('even', 100);
      await append('odd', 101);
      await until('a later event is seen', () => seen.length > missed.length);
      assert.deepEqual(numbersOf(seen), [...missed, 101]);
      await subscription.unsubscribe();
    });

    it('filters subscriptions by event type, and starts them at the end', async () => {
      await client.appendToStream('orders', numbered('OrderPlaced'));
      const regex = client.subscribeToAll({ fromPosition: END, filter: eventTypeFilter({ regex: '^Order' }) });
      const prefix = client.subscribeToAll({ filter: eventTypeFilter({ prefixes: ['No', 'X'] }) });
      const followed = [follow(regex), follow(prefix)];
      await Promise.all([once(regex, 'confirmation'), once(prefix, 'confirmation')]);
      await client.appendToStream('orders', [numbered('OrderShipped'), numbered('Noise')]);
      await until('all subscriptions have seen an event', () => followed.every(({ seen }) => seen.length > 0));
      const types = followed.flatMap(({ seen }) => seen.map(({ event }) => event?.type));
      assert.deepEqual(types, ['OrderShipped', 'Noise']);
      await Promise.all([regex.unsubscribe(), prefix.unsubscribe()]);
    });

    it('links events into the stream of their category, at separate positions', async () => {
      await client.appendToStream('order-1-a', [numbered('A'), numbered('B')]);
      await append('undashed');
      await append('order-2');
      assert.deepEqual(
        double.log.filter(({ stream }) => stream === '$ce-order').map(({ type, data }) => `${type} ${data}`),
        ['$> 0@order-1-a', '$> 1@order-1-a', '$> 0@order-2'],
      );
      assert.deepEqual(placesOf(await collect(client.readStream('$ce-order', { maxCount: 1 }))), ['$ce-order/0']);
      const resolved = await collect(client.readStream('$ce-order', { resolveLinkTos: true }));
      const places = ['$ce-order/0 order-1-a/0', '$ce-order/1 order-1-a/1', '$ce-order/2 order-2/0'];
      assert.deepEqual(placesOf(resolved), places);
      const all = (await collect(client.readAll())).map(({ event }) => event);
      for (const { event, link, commitPosition = 0n } of resolved) {
        assert.deepEqual(event?.position, all.find((one) => one?.id === event?.id)?.position);
        assert.deepEqual(link?.position, { commit: commitPosition, prepare: commitPosition });
        assert.ok(commitPosition > (event?.position?.commit ?? commitPosition));
      }
      const own = client.subscribeToAll({ filter: excludeSystemEvents() });
      const { seen } = follow(own);
      await once(own, 'caughtUp');
      assert.deepEqual(placesOf(seen), ['order-1-a/0', 'order-1-a/1', 'undashed/0', 'order-2/0']);
      await own.unsubscribe();
    });

    it('can delay category links, which catch up in order', async () => {
      await append('order-1');
      double.categoriesLag(true);
      await append('order-2');
      await append('order-1');
      const subscription = client.subscribeToStream('$ce-order', { resolveLinkTos: true });
      const { seen } = follow(subscription);
      await once(subscription, 'caughtUp');
      assert.deepEqual(placesOf(seen), ['$ce-order/0 order-1/0']);
      double.categoriesLag(false);
      await until('three events are seen', () => seen.length === 3);
      assert.deepEqual(placesOf(seen).slice(1), ['$ce-order/1 order-2/0', '$ce-order/2 order-1/1']);
      await subscription.unsubscribe();
    });

    it('fails appends as often as requested, before or after they are committed', async () => {
      double.fail(rpc, status.UNAVAILABLE, 2);
      await assert.rejects(append('orders'), UnavailableError);
      await assert.rejects(append('orders'), UnavailableError);
      assert.equal(double.log.length, 0);
      double.fail(rpc, status.INTERNAL, 1, 'after');
      const lost = numbered('A');
      await assert.rejects(client.appendToStream('orders', lost), { code: status.INTERNAL });
      assert.equal(double.log.length, 1);
      assert.equal((await client.appendToStream('orders', lost)).nextExpectedRevision, 0n);
      assert.equal(double.log.length, 1);
    });

    it('fails reads before or after their events', async () => {
      await append('orders');
      const seen: unknown[] = [];
      const read = async () => {
        for await (const { event } of client.readStream('orders')) seen.push(event);
      };
      double.fail('read', status.UNAVAILABLE);
      await assert.rejects(read, UnavailableError);
      assert.equal(seen.length, 0);
      double.fail('read', status.UNAVAILABLE, 1, 'after');
      await assert.rejects(read, UnavailableError);
      await read();
      assert.equal(seen.length, 2);
    });

    it('answers nothing while muted, and commits nothing unless requested', async () => {
      await append('orders');
      const subscription = client.subscribeToStream('orders', { fromRevision: END });
      const { seen, errors } = follow(subscription);
      await once(subscription, 'caughtUp');
      double.mute(true);
      const ignored = assert.rejects(append('orders'), UnavailableError);
      const unread = assert.rejects(collect(client.readStream('orders')), UnavailableError);
      await until('two calls are left without an answer', () => double.unanswered === 2);
      double.mute(false);
      double.muteAfterCommit(true);
      const unconfirmed = assert.rejects(append('orders'), UnavailableError);
      await until('an event is seen', () => seen.length === 1);
      assert.deepEqual(placesOf(seen), ['orders/1']);
      double.muteAfterCommit(false);
      double.dropConnections();
      await Promise.all([ignored, unread, unconfirmed, until('the subscription fails', () => errors.length === 1)]);
      await until('an append succeeds', () => appended('orders'));
      assert.equal(double.log.length, 3);
    });

    it('delivers a subscription until connections drop, and continues it after the last event', async () => {
      const before = client.subscribeToStream('orders', { fromRevision: START });
      const dropped = follow(before);
      await once(before, 'confirmation');
      await append('orders');
      await append('orders');
      await until('two events are seen', () => dropped.seen.length === 2);
      double.dropConnections();
      await until('the subscription is dropped', () => dropped.errors[0] instanceof UnavailableError);
      const again = client.subscribeToStream('orders', { fromRevision: 0n });
      const { seen } = follow(again);
      await until('an append succeeds', () => appended('orders'));
      await until('two events are seen again', () => seen.length === 2);
      assert.deepEqual(placesOf(seen), ['orders/1', 'orders/2']);
      await again.unsubscribe();
    });

    it('restarts on the same port with its events', async () => {
      for (const round of [1, 2]) {
        await until('an append succeeds', () => appended('orders'));
        const { errors } = follow(client.subscribeToStream('orders'));
        await double.stop();
        await until('the subscription fails', () => errors.length === 1);
        assert.ok(errors[0] instanceof UnavailableError);
        await assert.rejects(append('orders'), { code: status.UNAVAILABLE });
        await double.start();
        await until('an append succeeds', () => appended('orders'));
        assert.equal((await collect(client.readStream('orders'))).length, round * 2);
      }
    });
  });
