import assert from 'node:assert/strict';
import type { Recorded } from '../../../application/ports/event-store.js';
import { createSubscriptions } from '../../../infrastructure/sqlite/events/subscriptions.js';

const batchSize = 500;
/** Number of events, which is greater than the maximum number of arguments of a function call. */
const largeCount = 200_000;
const eventsUpTo = (head: number) => Array.from({ length: head }, (_, n) => ({ position: n + 1 }) as Recorded);

describe('a subscription to the embedded event store', () => {
  const stop = new AbortController();
  after(() => stop.abort());

  it('receives an append of any size by reading the store, without a copy of all its events at once', async () => {
    let stored: readonly Recorded[] = eventsUpTo(1);
    let copies = 0;
    const readAfter = async (position: number) => stored.slice(position, position + batchSize);
    const store = { readAfter, batchSize, head: () => stored.length, isAppending: () => false };
    const subscriptions = createSubscriptions(store);
    const received = subscriptions.subscribe(0, stop.signal)[Symbol.asyncIterator]();
    assert.equal((await received.next()).value?.length, 1);
    const next = received.next();
    stored = eventsUpTo(1 + largeCount);
    subscriptions.offer({ head: stored.length, count: largeCount }, () => {
      copies++;
      return stored.slice(1);
    });
    assert.equal((await next).value?.at(-1)?.position, 1 + batchSize);
    assert.equal(copies, 0);
  });

  it('receives a small append without reading the store', async () => {
    let reads = 0;
    const readAfter = async () => {
      reads++;
      return [];
    };
    const subscriptions = createSubscriptions({ readAfter, batchSize, head: () => 0, isAppending: () => true });
    const received = subscriptions.subscribe(0, stop.signal)[Symbol.asyncIterator]();
    const next = received.next();
    await new Promise(setImmediate);
    const before = reads;
    subscriptions.offer({ head: 3, count: 3 }, () => eventsUpTo(3));
    assert.equal((await next).value?.length, 3);
    assert.equal(reads, before);
  });
});
