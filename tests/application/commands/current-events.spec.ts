import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { currentEvents } from '../../../application/commands/current-events.js';
import { readAggregate } from '../../../application/commands/read-aggregate.js';
import {
  beginning,
  type EventStore,
  type NewEvent,
  noStream,
  type Recorded,
  streamName,
} from '../../../application/ports/event-store.js';
import { ledger } from '../../../domain/aggregates/ledger.js';
import { UnreadableEvent } from '../../../domain/upcasters.js';
import { eventStores } from '../../support/engines/adapters.js';
import type { Place } from '../../support/engines/places.js';
import { organizationCreated } from '../../support/histories/events.js';

const organizationId = 'org_a';
const key = 'wal_1.0xb7';
/** Ledger with streams of kind `thing`, the only kind that the test adapters of EventStoreDB support. */
const things = { ...ledger, stream: 'thing' };
const stream = streamName(organizationId, things.stream, key);
const native = { standard: 'native' } as const;
const touched = {
  walletId: 'wal_1',
  block: { number: 7, hash: '0xb7', time: 1, chain: '0xb0' },
  address: '0xaa',
  reason: 'fee',
};
const { metadata } = organizationCreated('a').events[0] as NewEvent;
const event = (type: string, data: object): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { ...metadata, organizationId },
});
const flat = async <T>(batches: AsyncIterable<readonly T[]>) => {
  const found: T[] = [];
  for await (const batch of batches) found.push(...batch);
  return found;
};

for (const [name, open] of Object.entries(eventStores))
  describe(`events read and written on ${name}`, () => {
    let place: Place<EventStore>;
    let stored: EventStore;
    before(async () => {
      place = await open();
      stored = await place.open();
      const old = [event('BalanceTouched', touched), event('ActivitySettled', { walletId: 'wal_1' })];
      await stored.append([{ stream, expected: noStream, events: old }]);
    });
    after(async () => {
      await stored.close();
      await place.end?.();
    });

    const shapes = (events: readonly NewEvent[]) =>
      events.map(({ type, data, metadata: { version } }) => ({ type, data, version }));
    const today = [
      { type: 'BalanceTouched', data: { ...touched, asset: native }, version: 2 },
      { type: 'ActivitySettled', data: { walletId: 'wal_1' }, version: undefined },
    ];

    it('are returned in the current version by every read method', async () => {
      const events = currentEvents(stored);
      assert.deepEqual(shapes((await events.read(stream)).events), today);
      assert.deepEqual(shapes(await flat(events.readAll(beginning))), today);
      assert.deepEqual(shapes(await flat(events.readOrganization(organizationId, beginning))), today);
      const head = { position: await events.head() };
      const backwards = await flat(events.readOrganizationBackwards(organizationId, head));
      assert.deepEqual(shapes(backwards.toReversed()), today);
      const stop = new AbortController();
      for await (const batch of events.subscribe(beginning, stop.signal)) {
        assert.deepEqual(shapes(batch), today);
        stop.abort();
      }
    });

    it("are returned in the store's own batch, without a copy, when all are current", async () => {
      const batch: readonly Recorded[] = [{ ...event('ActivitySettled', {}), stream, position: 1, time: 1, bytes: 2 }];
      const readAll = async function* () {
        yield batch;
      };
      for await (const read of currentEvents({ ...stored, readAll }).readAll(beginning)) assert.equal(read, batch);
    });

    it('may have a version that only a newer release can read, until their data is accessed', async () => {
      const [newer, after] = [event('BalanceTouched', touched), event('ActivitySettled', { walletId: 'wal_1' })];
      const events = [{ ...newer, metadata: { ...newer.metadata, version: 3 } }, after];
      const other = streamName(organizationId, things.stream, 'ahead');
      await stored.append([{ stream: other, expected: noStream, events }]);
      const [unread, read] = (await currentEvents(stored).read(other)).events;
      assert.deepEqual([unread?.type, unread?.metadata.version], ['BalanceTouched', 3]);
      assert.deepEqual(read?.data, { walletId: 'wal_1' });
      const { data } = unread as NewEvent;
      for (const look of [() => ({ ...data }), () => (data as typeof touched).walletId, () => JSON.stringify(unread)])
        assert.throws(look, UnreadableEvent);
      await assert.rejects(readAggregate(currentEvents(stored), things, organizationId, 'ahead'), UnreadableEvent);
    });

    it('are upcast before a decider folds them', async () => {
      const { holdings } = await readAggregate(currentEvents(stored), things, organizationId, key);
      assert.deepEqual(holdings, [{ address: '0xaa', asset: native }]);
    });

    it('stay stored in the version in which they were written', async () => {
      await flat(currentEvents(stored).readAll(beginning));
      const [first] = (await stored.read(stream)).events;
      assert.deepEqual(first && shapes([first]), [{ type: 'BalanceTouched', data: touched, version: undefined }]);
    });

    it('are stored with a version number only where their type has more than one version', async () => {
      const events = currentEvents(stored);
      const data = { ...touched, asset: native };
      const shared = event('ActivitySettled', {}).metadata;
      const written = [
        { ...event('ActivitySettled', {}), metadata: shared },
        { ...event('BalanceTouched', data), metadata: shared },
        { ...event('BalanceTouched', data), metadata: shared },
      ];
      const [one, other] = ['new', 'newer'].map((end) => streamName(organizationId, things.stream, end));
      const touchedAgain = [{ ...event('BalanceTouched', data), metadata: shared }];
      await events.append([
        { stream: one ?? '', expected: noStream, events: written },
        { stream: other ?? '', expected: noStream, events: touchedAgain },
      ]);
      const versions = async (of = '') => (await stored.read(of)).events.map((each) => each.metadata.version);
      assert.deepEqual(await versions(one), [undefined, 2, 2]);
      assert.deepEqual(await versions(other), [2]);
      assert.deepEqual((await events.read(one ?? '')).events, (await stored.read(one ?? '')).events);
    });
  });
