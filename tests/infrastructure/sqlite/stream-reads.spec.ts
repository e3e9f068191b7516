import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { EventStore, NewEvent } from '../../../application/ports/event-store.js';
import { type Database, openDatabase } from '../../../infrastructure/sqlite/database.js';
import { rowsAtOnce } from '../../../infrastructure/sqlite/events/event-rows.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { createStreamRead } from '../../../infrastructure/sqlite/events/stream-reads.js';
import { freshDirectory } from '../../support/run/directories.js';
import { testSystem } from '../../support/silent.js';

const stream = 'org.address-one';
const count = 3 * rowsAtOnce + 7;

const eventsFrom = (from: number, to: number): NewEvent[] =>
  Array.from({ length: to - from }, (_, i) => ({
    id: testSystem.uuid(),
    type: 'Noted',
    data: { n: from + i },
    metadata: {
      organizationId: 'org',
      variant: 'c',
      actor: { kind: 'operator', id: 'test' },
      requestId: 'test',
      causationId: 'test',
      correlationId: 'test',
      occurredAt: '2026-01-01T00:00:00.000Z',
    },
  }));

/** Wraps a database so that `rows` lists the number of rows that each execution of a statement returned. */
const countRows = (db: Database) => {
  const rows: number[] = [];
  const prepare = (sql: string) => {
    const statement = db.prepare(sql);
    return {
      setReturnArrays: (isOn: boolean) => statement.setReturnArrays(isOn),
      all: (...values: Parameters<typeof statement.all>) => {
        const found = statement.all(...values);
        rows.push(found.length);
        return found;
      },
    };
  };
  return { rows, db: { prepare } as unknown as Database };
};

const numbersOf = (events: readonly NewEvent[]) => events.map(({ data }) => (data as { n: number }).n);
const upTo = (end: number) => Array.from({ length: end }, (_, n) => n);
const sum = (rows: readonly number[]) => rows.reduce((total, one) => total + one, 0);

describe('the read of a long stream of the embedded event store', () => {
  let store: EventStore;
  let file: string;
  let opened: Database;
  let [from, revision] = [0, -1];
  const append = async (many: number, to = stream) => {
    await store.append([{ stream: to, expected: revision, events: eventsFrom(from, from + many) }]);
    [from, revision] = [from + many, revision + many];
  };
  beforeEach(async () => {
    [from, revision] = [0, -1];
    file = join(freshDirectory(), 'events.db');
    store = await sqliteEventStore(file);
    opened = openDatabase(file, 'durable');
    await append(count);
  });
  afterEach(async () => {
    opened.close();
    await store.close();
  });

  it('returns all events in order, and reads at most 250 in one turn of the event loop', async () => {
    const { rows, db } = countRows(opened);
    const reading = createStreamRead(db)(stream);
    assert.deepEqual(rows, [rowsAtOnce]);
    const found = await reading;
    assert.deepEqual(numbersOf(found.events), upTo(count));
    assert.equal(found.revision, count - 1);
    assert.deepEqual(rows, [rowsAtOnce, rowsAtOnce, rowsAtOnce, 7]);
  });

  it('reads only the events that it has not read before, however many there are', async () => {
    const { rows, db } = countRows(opened);
    const read = createStreamRead(db);
    await read(stream);
    rows.length = 0;
    for (let i = 1; i <= 5; i++) {
      await append(1);
      const found = await read(stream);
      assert.deepEqual(numbersOf(found.events), upTo(count + i));
      assert.equal(found.revision, count + i - 1);
    }
    assert.equal(sum(rows), 5);
  });

  it('returns the same events to callers that read at the same time, while others are appended', async () => {
    const read = createStreamRead(opened);
    const reading = [read(stream), read(stream)];
    await append(2);
    for (const { events } of await Promise.all(reading)) assert.ok(events.length >= count);
    assert.deepEqual(numbersOf((await read(stream)).events), upTo(count + 2));
  });

  it('keeps a bounded number of events of all streams together', async () => {
    const { rows, db } = countRows(opened);
    const read = createStreamRead(db);
    await read(stream);
    for (let i = 0; i < 5; i++) {
      [from, revision] = [0, -1];
      await append(5000, `org.address-${i}-other`);
      await read(`org.address-${i}-other`);
    }
    rows.length = 0;
    assert.equal((await read(stream)).events.length, count);
    assert.equal(sum(rows), count);
  });
});
