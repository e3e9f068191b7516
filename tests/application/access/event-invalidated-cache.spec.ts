import assert from 'node:assert/strict';
import { invalidateFromEvents } from '../../../application/access/event-invalidated-cache.js';
import { currentEvents } from '../../../application/commands/current-events.js';
import type { NewEvent, Recorded } from '../../../application/ports/event-store.js';
import { until } from '../../support/eventually.js';
import { openStores } from '../../support/following/following.js';
import { organizationCreated } from '../../support/histories/events.js';

describe('the invalidation of caches by events', () => {
  it('empties a cache when an event it depends on can be read only by a newer release', async () => {
    const stores = await openStores();
    const stop = new AbortController();
    let [cleared, seen] = [0, 0];
    const cache = {
      clear: () => {
        cleared++;
      },
      onEvent: ({ type, data }: Recorded) => {
        if (type === 'OrganizationCreated' && (data as { name: string }).name !== '') seen++;
      },
    };
    const ignoring = { clear: () => undefined, onEvent: () => undefined };
    const running = invalidateFromEvents(currentEvents(stores.events), [cache, ignoring])(stop.signal);
    await until('the caches are emptied at the start', () => cleared === 1);
    const write = organizationCreated('newer');
    const newer = write.events.map((event): NewEvent => ({ ...event, metadata: { ...event.metadata, version: 2 } }));
    await stores.events.append([{ ...write, events: newer }]);
    await stores.events.append([organizationCreated('current')]);
    await until('the next event is seen', () => seen === 1);
    assert.equal(cleared, 2);
    stop.abort();
    await running;
    await stores.close();
  });
});
