import assert from 'node:assert/strict';
import {
  beginning,
  type EventStore,
  type StreamWrite,
  streamName,
  UnknownPosition,
} from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { noEntry } from '../../../application/ports/state.js';
import { fromCheckpoint } from '../../../application/processes/from-checkpoint.js';
import { OrganizationStopped } from '../../../domain/failure.js';
import { UnreadableEvent } from '../../../domain/upcasters.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';
import { organizationCreated } from '../../support/histories/events.js';
import { silent, testSystem } from '../../support/silent.js';

describe('a process that follows the events from its checkpoint', () => {
  const place = usePlace<Place<EventStore>>(eventStores['eventstoredb over its wire']);
  const entries = usePlace<Place<StateStore>>(states.sqlite);
  let events: EventStore;
  let state: StateStore;
  const errors: string[] = [];
  const log = { ...silent, error: (_: object, text: string) => void errors.push(text) };
  const system = { ...testSystem, log };
  beforeEach(async () => {
    errors.length = 0;
    [events, state] = await Promise.all([place.open(), entries.open()]);
  });
  /** Follows until an event arrives, and returns the ids of the first batch. */
  const firstBatch = async (over: EventStore) => {
    const stop = new AbortController();
    const seen: string[] = [];
    await fromCheckpoint('test', { events: over, state, system: testSystem })(stop.signal, async (batch) => {
      seen.push(...batch.map(({ id }) => id));
      stop.abort();
      return true;
    });
    return seen;
  };

  it('reports that the store does not have its position, and starts with the first event the next time', async () => {
    const write = organizationCreated('first');
    const position = await events.append([write]);
    await events.append([organizationCreated('second')]);
    await state.put('processes', 'test', String(position + 4096), noEntry);
    await assert.rejects(firstBatch(events), UnknownPosition);
    assert.equal((await firstBatch(events))[0], write.events[0]?.id);
  });

  it('skips an organization whose events it cannot read, continues with the others, and retries it later', async () => {
    const writes = ['a', 'b', 'c', 'd'].map(organizationCreated);
    const [first, unreadable, ...others] = writes.map(({ events: [event] }) => event);
    for (const write of writes) await events.append([write]);
    const organizationId = unreadable?.metadata.organizationId ?? '';
    const follow = async (isNewer: boolean, until: string | undefined) => {
      const stop = new AbortController();
      const worked: string[] = [];
      await fromCheckpoint('test', { events, state, system })(stop.signal, async (batch) => {
        const seen = batch.map(({ id }) => id);
        if (!isNewer && batch.some(({ metadata }) => metadata.organizationId === organizationId))
          throw new UnreadableEvent(organizationId, { type: 'OrganizationCreated', reason: 'is newer' });
        worked.push(...seen);
        if (seen.includes(until ?? '')) stop.abort();
        return true;
      });
      return worked;
    };
    const last = others.at(-1)?.id;
    const worked = await follow(false, last);
    assert.deepEqual(new Set(worked), new Set([first, ...others].map((event) => event?.id)));
    assert.deepEqual(errors, ['Process stopped for one organization: it cannot read an event']);
    assert.ok((await follow(true, last)).includes(unreadable?.id ?? ''));
  });

  it('resumes an organization once its documents are no longer stopped', async () => {
    const [stopped, other] = ['a', 'b'].map(organizationCreated);
    const { organizationId = '' } = stopped?.events[0]?.metadata ?? {};
    // The test adapter supports one kind of stream, by which it finds the events of an organization.
    const stream = streamName(organizationId, 'thing', '1');
    for (const write of [{ ...stopped, stream }, other]) await events.append([write as StreamWrite]);
    const stop = new AbortController();
    const worked: string[] = [];
    let isStopped = true;
    await fromCheckpoint('test', { events, state, system })(stop.signal, async (batch) => {
      const isConcerned = batch.some(({ metadata }) => metadata.organizationId === organizationId);
      if (isStopped && isConcerned) throw new OrganizationStopped(organizationId, 'stopped');
      worked.push(...batch.map(({ id }) => id));
      if (isStopped) await events.append([organizationCreated('next')]);
      isStopped = false;
      if (isConcerned) stop.abort();
      return true;
    });
    assert.ok(worked.includes(stopped?.events[0]?.id ?? ''));
    assert.deepEqual(errors, ['Process failed for one organization; retrying with the next events']);
  });

  it('reads nothing twice when the store once reported a head that was too low', async () => {
    const position = await events.append([organizationCreated('first')]);
    const next = organizationCreated('second');
    await events.append([next]);
    await state.put('processes', 'test', String(position), noEntry);
    const heads = [beginning];
    const lagging = { ...events, head: async () => heads.pop() ?? (await events.head()) };
    assert.deepEqual(await firstBatch(lagging), [next.events[0]?.id]);
  });
});
