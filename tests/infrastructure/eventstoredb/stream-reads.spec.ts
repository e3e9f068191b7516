import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { type EventStore, MissingEvents, type StreamWrite } from '../../../application/ports/event-store.js';
import { defaultDeadlines } from '../../../infrastructure/deadlines.js';
import { createCommits } from '../../../infrastructure/eventstoredb/commit.js';
import { type Connection, connect } from '../../../infrastructure/eventstoredb/connection.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { createDeadline } from '../../../infrastructure/eventstoredb/retry.js';
import { createStreamReads } from '../../../infrastructure/eventstoredb/stream-reads.js';
import { event, numbers, write } from '../../support/engines/counted-events.js';
import { startEventStoreDouble } from '../../support/eventstoredb-double/server.js';

const count = 300;
const upTo = (end: number) => Array.from({ length: end }, (_, n) => n);

describe('the read of a long stream of EventStoreDB', () => {
  let store: EventStore;
  let connection: Connection;
  let client: EventStoreDBClient;
  let [stream, other] = ['', ''];
  /** Numbers of records that the server sent for each read of `stream`. */
  let sent: number[];
  beforeEach(async () => {
    const double = keep(await startEventStoreDouble());
    store = keep(await eventStoreDb(double.url, ['thing']));
    connection = keep(await connect(double.url));
    client = EventStoreDBClient.connectionString(double.url);
    const organization = `org_${randomUUID().replaceAll('-', '')}`;
    [stream, other] = [`${organization}.thing-long`, `${organization}.thing-other`];
    sent = [];
    await store.append([
      write(
        stream,
        upTo(count).map((n) => event(n)),
      ),
    ]);
  });
  const opened: { close(): unknown }[] = [];
  const keep = <T extends { close(): unknown }>(one: T): T => {
    opened.push(one);
    return one;
  };
  afterEach(async () => {
    await client.dispose();
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  const createRead = () => {
    const readStream: Connection['readStream'] = async (name, options) => {
      const records = await connection.readStream(name, options);
      if (name === stream) sent.push(records.length);
      return records;
    };
    const read = createStreamReads({ ...connection, readStream }, createCommits(connection));
    return (name = stream) => read(name, createDeadline(defaultDeadlines));
  };
  const appendAt = async (revision: number, n: number, more: readonly StreamWrite[] = []) =>
    store.append([{ ...write(stream, [event(n)]), expected: revision }, ...more]);

  it('requests only the last known event and the events after it', async () => {
    const read = createRead();
    await read();
    for (let n = count; n < count + 5; n++) {
      await appendAt(n - 1, n);
      const { events, revision } = await read();
      assert.deepEqual(numbers(events), upTo(n + 1));
      assert.equal(revision, n);
    }
    await read();
    assert.deepEqual(sent, [count, 2, 2, 2, 2, 2, 1]);
  });

  it('returns the same event objects again, so that a state can be kept for them', async () => {
    const read = createRead();
    const { events } = await read();
    await appendAt(count - 1, count);
    const next = await read();
    assert.ok(events.every((one, i) => next.events[i] === one));
  });

  it('includes the events of a command over several streams', async () => {
    const read = createRead();
    await read();
    await appendAt(count - 1, count, [write(other, [event(0)])]);
    assert.deepEqual(numbers((await read()).events), upTo(count + 1));
    assert.deepEqual(numbers((await read(other)).events), [0]);
  });

  it('reports a stream that was deleted after it was read', async () => {
    const read = createRead();
    await read();
    await client.deleteStream(stream);
    await assert.rejects(read(), (error) => error instanceof MissingEvents && error.stream === stream);
  });

  it('reads the whole stream again if another event is in the place of the last known event', async () => {
    const read = createRead();
    const before = await read();
    const restored = keep(await startEventStoreDouble());
    const restoredStore = keep(await eventStoreDb(restored.url, ['thing']));
    await restoredStore.append([
      write(
        stream,
        upTo(count).map((n) => event(n)),
      ),
    ]);
    connection = keep(await connect(restored.url));
    const after = await read();
    assert.deepEqual(numbers(after.events), upTo(count));
    assert.notEqual(after.events.at(-1)?.id, before.events.at(-1)?.id);
  });
});
