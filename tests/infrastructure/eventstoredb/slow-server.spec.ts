import assert from 'node:assert/strict';
import type { EventStore } from '../../../application/ports/event-store.js';
import { deadlinesWithin } from '../../../infrastructure/deadlines.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { event, numbers, write } from '../../support/engines/counted-events.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { until } from '../../support/eventually.js';

const stream = 'org.thing-1';

describe('a busy event server', () => {
  let double: EventStoreDouble;
  const stores: EventStore[] = [];
  const open = async (requestTimeoutMs: number) => {
    const store = await eventStoreDb(double.url, ['thing'], '', deadlinesWithin(requestTimeoutMs));
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    double = await startEventStoreDouble();
  });
  afterEach(async () => {
    double.holdAnswers(false);
    double.mute(false);
    for (const store of stores.splice(0)) await store.close();
    await double.close();
  });

  it('is waited for beyond the first attempt, and stores an append once', async () => {
    const store = await open(20_000);
    double.holdAnswers(true);
    const appended = store.append([write(stream, [event(1)])]);
    await until('the append was sent a second time', () => double.heldAnswers === 2);
    double.holdAnswers(false);
    await appended;
    assert.deepEqual(numbers((await store.read(stream)).events), [1]);
  });

  it('is waited for beyond the first attempt of a read', async () => {
    const store = await open(20_000);
    await store.append([write(stream, [event(1)])]);
    let reads = 0;
    double.beforeRead(() => (++reads === 1 ? new Promise(() => undefined) : undefined));
    assert.deepEqual(numbers((await store.read(stream)).events), [1]);
    assert.ok(reads > 1);
  });

  for (const [requestTimeoutMs, seconds] of [
    [1000, '0.9'],
    [2000, '1.8'],
  ] as const)
    it(`counts as unavailable after ${seconds} s when a request has ${requestTimeoutMs} ms`, async () => {
      const store = await open(requestTimeoutMs);
      double.mute(true);
      const message = `Event store unavailable (timed out after ${seconds} s). Retry later.`;
      await assert.rejects(store.read(stream), { code: 'UNAVAILABLE', message });
      await assert.rejects(store.append([write(stream, [event(1)])]), { code: 'UNAVAILABLE', message });
    });
});
