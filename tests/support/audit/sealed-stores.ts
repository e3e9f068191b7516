import { createSealLog } from '../../../application/audit/seals/seal-log.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { eventStores, states } from '../engines/adapters.js';
import { usePlace } from '../engines/places.js';
import { appendEvents, manualSystem, notary, sealAll } from './sealed-history.js';

const eventsPerRound = 11;

/** Opens empty stores before each test of the suite; `sealRounds` appends events to them and seals the events. */
export const useSealedStores = () => {
  const eventPlace = usePlace(eventStores.sqlite);
  const statePlace = usePlace(states.sqlite);
  let events: EventStore;
  let state: StateStore;
  beforeEach(async () => {
    events = await eventPlace.open();
    state = await statePlace.open();
  });
  const system = manualSystem();
  return {
    system,
    stores: () => ({ events, state }),
    sealLog: () => createSealLog({ events, state, handle: createHandle(events, system), notary, system }),
    /** Appends events for each organization and seals them, once per round. */
    sealRounds: async (owners: readonly string[], rounds: number, from = 0) => {
      for (let round = from; round < from + rounds; round++) {
        for (const owner of owners) await appendEvents(events, owner, eventsPerRound, eventsPerRound * round);
        await sealAll({ events, state });
      }
    },
  };
};
