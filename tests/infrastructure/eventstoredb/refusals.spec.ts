import assert from 'node:assert/strict';
import { EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import {
  type Deadline,
  type EventStore,
  StoreRefuses,
  StreamDeleted,
  TooLarge,
} from '../../../application/ports/event-store.js';
import { StoreDown } from '../../../domain/failure.js';
import { createCommits } from '../../../infrastructure/eventstoredb/commit.js';
import { type Connection, connect } from '../../../infrastructure/eventstoredb/connection.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { commitStreamOf, reservationRecord } from '../../../infrastructure/eventstoredb/records.js';
import { event, write } from '../../support/engines/counted-events.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';

const stream = (n: number) => `org.thing-${n}`;
const text = (length: number) => ({ text: 'x'.repeat(length) });

describe('an append that the event server will never accept', () => {
  let double: EventStoreDouble;
  let store: EventStore;
  const start = async (options: Parameters<typeof startEventStoreDouble>[0] = {}) => {
    double = await startEventStoreDouble(options);
    store = await eventStoreDb(double.url, ['thing']);
  };
  afterEach(async () => {
    await store.close();
    await double.close();
  });
  /** Deletes a stream permanently. */
  const tombstone = async (name: string) => {
    const client = EventStoreDBClient.connectionString(double.url);
    await client.tombstoneStream(name);
    await client.dispose();
  };
  const answers = [
    { reason: 'a caller without permission', code: status.PERMISSION_DENIED, trailers: { exception: 'access-denied' } },
    { reason: 'a read-only server', code: status.FAILED_PRECONDITION, trailers: {} },
    { reason: 'a server without the call', code: status.UNIMPLEMENTED, trailers: {} },
  ];

  for (const { reason, code, trailers } of answers)
    it(`is rejected immediately, without a retry: ${reason}`, async () => {
      await start();
      double.fail('append', code, 99, 'before', trailers);
      await assert.rejects(store.append([write(stream(1), [event(1)])]), StoreRefuses);
      assert.equal(double.appends, 1);
    });

  it('is rejected immediately, without a retry: a deleted stream', async () => {
    await start();
    await tombstone(stream(1));
    await assert.rejects(store.append([write(stream(1), [event(1)])]), StreamDeleted);
    assert.equal(double.appends, 1);
  });

  it('is rejected immediately, without a retry: a message larger than the server accepts', async () => {
    await start();
    await assert.rejects(store.append([write(stream(1), [event(1, text(18_000_000))])]), TooLarge);
    assert.equal(double.appends, 0);
    double.fail('append', status.RESOURCE_EXHAUSTED, 99);
    await assert.rejects(store.append([write(stream(1), [event(1)])]), TooLarge);
    assert.equal(double.appends, 1);
  });

  it('leaves no reservation undecided when one of several streams was deleted', async () => {
    await start();
    await tombstone(stream(2));
    await assert.rejects(store.append([1, 2, 3].map((n) => write(stream(n), [event(n)]))), StreamDeleted);
    assert.equal(double.log.filter(({ type }) => type === 'chainfold.Aborted').length, 1);
    assert.deepEqual((await store.read(stream(1))).events, []);
  });

  it('leaves no reservation undecided when the commit itself is rejected', async () => {
    await start({ maxBytes: 20_000 });
    const writes = [1, 2, 3].map((n) => write(stream(n), [event(n, text(10_000))]));
    await assert.rejects(store.append(writes), TooLarge);
    assert.deepEqual(
      double.log.filter(({ stream: name }) => name.startsWith('org.')).map(({ type }) => type),
      ['chainfold.Reserved', 'chainfold.Reserved', 'chainfold.Reserved', 'chainfold.Aborted'],
    );
    assert.deepEqual((await store.read(stream(1))).events, []);
  });
});

describe('a server that does not answer', () => {
  let double: EventStoreDouble;
  let store: EventStore;
  beforeEach(async () => {
    double = await startEventStoreDouble();
    store = await eventStoreDb(double.url, ['thing']);
  });
  afterEach(async () => {
    double.mute(false);
    await store.close();
    await double.close();
  });
  const spent: Deadline = { left: () => 0, renew: () => undefined };

  it('is retried once by each call after the deadline of the command has passed', async () => {
    double.mute(true);
    await assert.rejects(store.read(stream(1), spent), StoreDown);
    assert.equal(double.unanswered, 1);
    await assert.rejects(store.append([write(stream(1), [event(1)])], spent), StoreDown);
    assert.equal(double.unanswered, 2);
    const wide = [1, 2, 3].map((n) => write(stream(n), [event(n)]));
    await assert.rejects(store.append(wide, spent), StoreDown);
    assert.equal(double.unanswered, 5);
  });

  it('is considered busy while it answers other calls of the command', async () => {
    double.answerEvery(90);
    await store.append(Array.from({ length: 64 }, (_, n) => write(stream(n), [event(n)])));
    double.answerEvery(0);
    assert.equal((await store.read(stream(63))).events.length, 1);
  });
});

describe('an outcome that a node does not show yet', () => {
  let double: EventStoreDouble;
  let connection: Connection;
  beforeEach(async () => {
    double = await startEventStoreDouble();
    connection = await connect(double.url);
  });
  afterEach(async () => {
    await connection.close();
    await double.close();
  });
  const writes = [1, 2].map((n) => write(stream(n), [event(n)]));
  const commitStream = commitStreamOf(writes);
  /** Hides the commit stream from a number of reads, as a lagging node would. */
  const behind = (reads: number): Connection => {
    let hidden = 0;
    return {
      ...connection,
      readStream: async (name, options) =>
        name === commitStream && hidden++ < reads ? [] : connection.readStream(name, options),
    };
  };
  const reserved = async () => {
    const [first] = writes;
    assert.ok(first);
    await createCommits(connection).write(writes);
    return [{ ...reservationRecord(commitStream, first), ...rawParts }];
  };
  const rawParts = { stream: stream(1), revision: 0, time: 0, remaining: 0, commit: null, readRevision: 0, bytes: 0 };

  it('is requested again, and not treated as an abort', async () => {
    const records = await reserved();
    assert.equal((await createCommits(behind(60)).eventsIn(records)).length, 1);
  });

  it('fails the read when no node shows it', async () => {
    const records = await reserved();
    await assert.rejects(createCommits(behind(Number.POSITIVE_INFINITY)).eventsIn(records), StoreDown);
  });
});
