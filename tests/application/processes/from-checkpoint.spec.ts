import assert from 'node:assert/strict';
import { beginning, type EventStore, UnknownPosition } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { noEntry } from '../../../application/ports/state.js';
import { fromCheckpoint } from '../../../application/processes/from-checkpoint.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { type Place, usePlace } from '../../support/engines/places.js';
import { organizationCreated } from '../../support/histories/events.js';

describe('a process that follows the events from its checkpoint', () => {
  const log = usePlace<Place<EventStore>>(eventStores['eventstoredb over its wire']);
  const entries = usePlace<Place<StateStore>>(states.sqlite);
  let events: EventStore;
  let state: StateStore;
  beforeEach(async () => {
    [events, state] = await Promise.all([log.open(), entries.open()]);
  });
  /** Follows until an event comes, and returns the ids of the first batch. */
  const firstBatch = async (over: EventStore) => {
    const stop = new AbortController();
    const seen: string[] = [];
    await fromCheckpoint('test', { events: over, state })(stop.signal, async (batch) => {
      seen.push(...batch.map(({ id }) => id));
      stop.abort();
      return true;
    });
    return seen;
  };

  it('says that the store does not know its position, and begins with the first event the next time', async () => {
    const write = organizationCreated('first');
    const position = await events.append([write]);
    await events.append([organizationCreated('second')]);
    await state.put('processes', 'test', String(position + 4096), noEntry);
    await assert.rejects(firstBatch(events), UnknownPosition);
    assert.equal((await firstBatch(events))[0], write.events[0]?.id);
  });

  it('reads nothing again when the store named too early a head once', async () => {
    const position = await events.append([organizationCreated('first')]);
    const next = organizationCreated('second');
    await events.append([next]);
    await state.put('processes', 'test', String(position), noEntry);
    const heads = [beginning];
    const lagging = { ...events, head: async () => heads.pop() ?? (await events.head()) };
    assert.deepEqual(await firstBatch(lagging), [next.events[0]?.id]);
  });
});
