import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer } from 'node:net';
import { EventStoreDBClient } from '@eventstore/db-client';
import {
  beginning,
  type EventStore,
  MissingEvents,
  noStream,
  UnknownPosition,
} from '../../../application/ports/event-store.js';
import { connect } from '../../../infrastructure/eventstoredb/connection.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { commitStreamOf, reservationRecord } from '../../../infrastructure/eventstoredb/records.js';
import { collect, event, numbers, write } from '../../support/engines/counted-events.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';

const range = (length: number) => Array.from({ length }, (_, n) => n);

/** Proxies connections to a server and counts them. */
const startCounting = async (port: number) => {
  let count = 0;
  const server = createServer((from) => {
    count++;
    const to = connectTo(port, '127.0.0.1');
    from.pipe(to).pipe(from);
    from.on('error', () => to.destroy());
    to.on('error', () => from.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, count: () => count, close: () => server.close() };
};

const everything = { position: Number.MAX_SAFE_INTEGER };

describe('reading through the EventStoreDB adapter', () => {
  let double: EventStoreDouble;
  let store: EventStore;
  let client: EventStoreDBClient;
  let organization: string;
  beforeEach(async () => {
    double = await startEventStoreDouble();
    store = await eventStoreDb(double.url, ['thing', 'wallet']);
    client = EventStoreDBClient.connectionString(double.url);
    organization = `org_${randomUUID().replaceAll('-', '')}`;
  });
  const others: { close(): unknown }[] = [];
  const keep = <T extends { close(): unknown }>(one: T): T => {
    others.push(one);
    return one;
  };
  afterEach(async () => {
    for (const one of others.splice(0).reverse()) await one.close();
    await store.close();
    await client.dispose();
    await double.close();
  });
  const add = (aggregate: string, n: number) => store.append([write(`${organization}.${aggregate}-${n}`, [event(n)])]);
  const forwards = (after = beginning) => collect(store.readOrganization(organization, after));
  const backwards = () => collect(store.readOrganizationBackwards(organization, everything));
  /** Stores many events of one kind of stream with few calls. */
  const addMany = (count: number) =>
    Promise.all(
      range(Math.ceil(count / 50)).map((n) =>
        store.append([
          write(
            `${organization}.thing-many${n}`,
            range(Math.min(50, count - 50 * n)).map((m) => event(50 * n + m)),
          ),
        ]),
      ),
    );

  it('yields a prefix of the history while others write between its reads', async () => {
    let next = 0;
    for (; next < 4; next++) await add(next % 2 ? 'thing' : 'wallet', next);
    let isWriting = false;
    double.beforeRead(async (stream) => {
      if (isWriting || !stream?.startsWith('$ce-') || next >= 40) return;
      isWriting = true;
      for (const aggregate of ['thing', 'wallet', 'thing']) await add(aggregate, next++);
      isWriting = false;
    });
    const first = await forwards();
    const second = await forwards(first.at(-1)?.position);
    next = 40;
    const history = await forwards();
    assert.ok(first.length > 0 && first.length < history.length);
    assert.deepEqual(first, history.slice(0, first.length));
    assert.deepEqual(second, history.slice(first.length, first.length + second.length));
  });

  it('yields nothing beyond the end that it found when all events are read because categories are missing', async () => {
    await add('thing', 0);
    double.categoriesLag(true);
    await add('thing', 1);
    let next = 2;
    double.beforeRead(async (stream) => {
      if (stream === undefined && next < 6) await add('thing', next++);
    });
    const found = await forwards();
    double.beforeRead(() => undefined);
    const history = await collect(store.readAll(beginning));
    assert.ok(found.length < history.length);
    assert.deepEqual(found, history.slice(0, found.length));
  });

  it('reports immediately that there is no event at a position', async () => {
    for (const n of range(3)) await add('thing', n);
    const head = await store.head();
    for (const position of [head - 1, head + 100_000]) {
      await assert.rejects(collect(store.readAll(position)), UnknownPosition);
      await assert.rejects(collect(store.subscribe(position, new AbortController().signal)), UnknownPosition);
      assert.equal(await store.countAfter(position), 3);
    }
    assert.deepEqual(numbers(await forwards(head - 1)), [2]);
    double.categoriesLag(true);
    await add('thing', 3);
    assert.deepEqual(numbers(await forwards(head - 1)), [2, 3]);
  });

  it('reports a deleted stream instead of omitting its events', async () => {
    for (const n of range(700)) await add('thing', n);
    const gone = `${organization}.thing-400`;
    await client.deleteStream(gone);
    const named = (error: unknown) => error instanceof MissingEvents && error.message.includes(gone);
    await assert.rejects(forwards(), named);
    await assert.rejects(backwards(), named);
    await assert.rejects(store.read(gone), named);
  });

  it('fails commands on a stream that was deleted or has a tombstone', async () => {
    const [deleted, ended] = [`${organization}.thing-1`, `${organization}.thing-2`];
    await store.append([write(deleted, [event(1)])]);
    await store.append([write(ended, [event(2)])]);
    await client.deleteStream(deleted);
    await client.tombstoneStream(ended);
    const before = double.log.length;
    for (const stream of [deleted, ended])
      await assert.rejects(store.read(stream), (error) => error instanceof MissingEvents && error.stream === stream);
    assert.equal(double.log.length, before);
  });

  it('reports a truncated stream and a truncated category', async () => {
    await addMany(120);
    const [stream, category] = [`${organization}.thing-many0`, `$ce-${organization}.thing`];
    await client.setStreamMetadata(stream, { truncateBefore: 10 });
    await assert.rejects(store.read(stream), (error) => error instanceof MissingEvents && error.stream === stream);
    await client.setStreamMetadata(stream, {});
    await client.setStreamMetadata(category, { maxCount: 100 });
    const named = (error: unknown) => error instanceof MissingEvents && error.stream === category;
    await assert.rejects(forwards(), named);
    await assert.rejects(backwards(), named);
  });

  it('continues a read that is interrupted repeatedly, as long as each attempt makes progress', async () => {
    await addMany(1300);
    double.readPace({ breaksAfter: 60 });
    assert.deepEqual(numbers(await collect(store.readAll(beginning))).length, 1300);
    assert.equal((await forwards()).length, 1300);
    assert.equal((await backwards()).length, 1300);
    assert.equal((await store.read(`${organization}.thing-many0`)).events.length, 50);
  });

  it('treats a read that makes progress as alive, however long it takes', async () => {
    await addMany(20);
    double.readPace({ ms: 150 });
    assert.equal((await store.read(`${organization}.thing-many0`)).events.length, 20);
  });

  it('reads large records in small pages', async () => {
    const text = 'x'.repeat(900_000);
    for (const n of range(30)) await store.append([write(`${organization}.thing-${n}`, [event(n, { text })])]);
    const batches: number[] = [];
    for await (const batch of store.readAll(beginning)) batches.push(batch.length);
    assert.ok(batches.length > 3, `${batches}`);
    assert.equal((await forwards()).length, 30);
  });

  it('requests few outcomes at a time in a stream with many reservations', async () => {
    const connection = keep(await connect(double.url));
    const stream = `${organization}.thing-busy`;
    for (const n of range(300)) {
      const reserved = write(stream, [event(n)]);
      await connection.append(stream, n - 1, [reservationRecord(commitStreamOf([reserved]), reserved)]);
      const commitStream = commitStreamOf([reserved]);
      await client.appendToStream(commitStream, {
        id: randomUUID(),
        type: 'chainfold.Committed',
        contentType: 'application/json',
        data: {},
        metadata: {},
      });
    }
    let [open, most] = [0, 0];
    double.beforeRead(async (name) => {
      if (!name?.includes('.commit-')) return;
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
    });
    assert.deepEqual(numbers((await store.read(stream)).events), range(300));
    assert.ok(most <= 64, `${most} reads at once`);
  });

  it('delivers every event once to a slow subscriber that the server drops', async () => {
    const text = 'x'.repeat(400_000);
    const seen: number[] = [];
    const stop = new AbortController();
    let written = Promise.resolve();
    const writeAll = async () => {
      for (const n of range(40)) await store.append([write(`${organization}.thing-${n}`, [event(n, { text })])]);
    };
    await add('wallet', 0);
    for await (const batch of store.subscribe(beginning, stop.signal)) {
      if (seen.length === 0) written = writeAll();
      // The subscriber does not read until all events are written.
      await written;
      seen.push(...numbers(batch));
      if (seen.length === 41) stop.abort();
    }
    assert.deepEqual(seen, [0, ...range(40)]);
  });

  it("delivers the leader's events to a subscriber of a lagging node", async () => {
    await add('thing', 0);
    await double.demote();
    const other = keep(await eventStoreDb(double.url, ['thing']));
    await add('thing', 1);
    const seen: number[] = [];
    for await (const batch of other.subscribe(beginning, new AbortController().signal)) {
      seen.push(...numbers(batch));
      if (seen.length === 2) break;
    }
    assert.deepEqual(seen, [0, 1]);
  });

  it('keeps one connection over many reads of streams that do not exist', async () => {
    const { port } = new URL(double.url);
    const counting = keep(await startCounting(Number(port)));
    const through = keep(await eventStoreDb(double.url.replace(port, String(counting.port)), ['thing']));
    const before = counting.count();
    for (let n = 0; n < 750; n += 50)
      await Promise.all(range(50).map((m) => through.read(`${organization}.thing-${n + m}`)));
    assert.equal(counting.count(), Math.max(before, 1));
  });

  it('waits for links that the server wrote out of order', async () => {
    for (const n of range(3)) await add(n % 2 ? 'thing' : 'wallet', n);
    double.categoriesLag(true, '.thing');
    await add('thing', 3);
    await add('wallet', 4);
    assert.deepEqual(numbers(await forwards()), range(5));
    assert.deepEqual(numbers(await backwards()), range(5).toReversed());
  });

  it('reads acknowledged events from the leader when it is connected to a lagging node', async () => {
    await add('thing', 0);
    await double.demote();
    const position = await add('thing', 1);
    assert.equal(await store.head(), position);
    const other = keep(await eventStoreDb(double.url, ['thing', 'wallet']));
    assert.equal(await other.head(), position);
    const third = keep(await eventStoreDb(double.url, ['thing', 'wallet']));
    const { revision } = await third.read(`${organization}.thing-1`);
    assert.notEqual(revision, noStream);
    assert.deepEqual(numbers(await collect(third.readOrganization(organization, beginning))), [0, 1]);
  });
});
