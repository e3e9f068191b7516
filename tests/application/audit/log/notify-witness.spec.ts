import assert from 'node:assert/strict';
import { createWitnessNotifier } from '../../../../application/audit/log/notify-witness.js';
import { headIn } from '../../../../application/audit/log/witnessed.js';
import { createSealLog } from '../../../../application/audit/seal-log.js';
import { createHandle } from '../../../../application/commands/handle.js';
import type { EventStore } from '../../../../application/ports/event-store.js';
import type { StateStore } from '../../../../application/ports/state.js';
import { eventStores, states } from '../../../support/engines/adapters.js';
import { usePlace } from '../../../support/engines/places.js';
import { appendEvents, handSystem, notary, sealAll } from '../../../support/histories/sealed-history.js';

const organizationId = `org_${'a'.repeat(32)}`;

describe('the teller of a witness', () => {
  const eventPlace = usePlace(eventStores.sqlite);
  const statePlace = usePlace(states.sqlite);
  let events: EventStore;
  let state: StateStore;
  beforeEach(async () => {
    events = await eventPlace.open();
    state = await statePlace.open();
  });
  const system = handSystem();
  const seal = async (from: number) => {
    await appendEvents(events, organizationId, 11, from);
    await sealAll({ events, state });
  };
  const sizeNow = async () =>
    (await createSealLog({ events, state, handle: createHandle(events, system), notary, system }).head())?.size;

  /** Runs the teller until the witness has taken a head, and returns the sizes of those that it was handed. */
  const handed = async (refusals = 0) => {
    const stop = new AbortController();
    const sizes: (number | undefined)[] = [];
    const take = async (line: string) => {
      sizes.push(headIn(line)?.size);
      if (sizes.length <= refusals) throw new Error('the witness is away');
      stop.abort();
    };
    await createWitnessNotifier({ name: 'test', take }, { events, state, system })(stop.signal);
    return sizes;
  };

  it('hands over the newest head, and after a restart only those that came since', async () => {
    await seal(0);
    await seal(11);
    const first = await sizeNow();
    assert.deepEqual(await handed(), [first]);
    await seal(22);
    const second = await sizeNow();
    assert.notEqual(first, second);
    assert.deepEqual(await handed(), [second]);
  });

  it('tries again until the witness has taken the head', async () => {
    await seal(0);
    const size = await sizeNow();
    assert.deepEqual(await handed(3), [size, size, size, size]);
  });

  it('hands over again after a restart what the witness had not taken', async () => {
    await seal(0);
    const stop = new AbortController();
    const away = {
      name: 'test',
      take: async () => {
        stop.abort();
        throw new Error('the witness is away');
      },
    };
    await assert.rejects(createWitnessNotifier(away, { events, state, system })(stop.signal), { name: 'AbortError' });
    assert.deepEqual(await handed(), [await sizeNow()]);
  });
});
