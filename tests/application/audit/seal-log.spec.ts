import assert from 'node:assert/strict';
import { createSealLog, type SealLog } from '../../../application/audit/seals/seal-log.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { LogLeaf } from '../../../domain/aggregates/audit/seal-log.js';
import { manualSystem, notary } from '../../support/audit/sealed-history.js';
import { eventStores, states } from '../../support/engines/adapters.js';
import { usePlace } from '../../support/engines/places.js';

const leafOf = (count: number): LogLeaf => ({
  organizationId: `org_${'a'.repeat(32)}`,
  count,
  hash: 'a'.repeat(64),
  places: 'b'.repeat(64),
  position: count,
});

describe('the seal log', () => {
  const eventPlace = usePlace(eventStores.sqlite);
  const statePlace = usePlace(states.sqlite);
  let events: EventStore;
  /** Opens the log as a separate sealer; `beforeAppend` runs before the sealer stores a leaf. */
  let open: (beforeAppend?: () => Promise<unknown>) => SealLog;
  beforeEach(async () => {
    events = await eventPlace.open();
    const state = await statePlace.open();
    open = (beforeAppend = async () => undefined) => {
      const system = manualSystem();
      const own: EventStore = {
        ...events,
        append: async (writes, deadline) => {
          await beforeAppend();
          return events.append(writes, deadline);
        },
      };
      return createSealLog({ events: own, state, handle: createHandle(own, system), notary, system });
    };
    await open().begin();
  });
  const countsIn = async (log: SealLog) => {
    const found: number[] = [];
    for await (const { count } of log.leaves(0, Number.MAX_SAFE_INTEGER)) found.push(count);
    return found;
  };

  it('stores a leaf once when several sealers append it concurrently', async () => {
    const sealers = [open(), open(), open()];
    for (let count = 1; count <= 10; count++) {
      const places = await Promise.all(sealers.map((one) => one.append(leafOf(count), 0)));
      assert.deepEqual(places, [count - 1, count - 1, count - 1]);
    }
    assert.deepEqual(
      await countsIn(open()),
      Array.from({ length: 10 }, (_, n) => n + 1),
    );
  });

  it('finds a leaf that another sealer has just appended', async () => {
    const other = open();
    let isFirst = true;
    const slow = open(async () => {
      if (!isFirst) return;
      isFirst = false;
      await other.append(leafOf(1), 0);
      await other.append(leafOf(2), 0);
    });
    assert.equal(await slow.append(leafOf(2), 0), 1);
    assert.deepEqual(await countsIn(other), [1, 2]);
  });
});
