import { slicesOf } from '../async/slices.js';
import type { EventStore, NewEvent, StreamWrite } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import type { System } from '../ports/system.js';

/** Maximum number of events that are authenticated in one turn of the event loop. */
const atOnce = 250;

/**
 * Wraps the store to add a message authentication code to each appended event. The sealer and `audit verify` check the
 * codes, and so detect events that something other than the service wrote to the store.
 */
export const authenticatedAppends = (
  stored: EventStore,
  { macOf }: Pick<Notary, 'macOf'>,
  { breathe }: Pick<System, 'breathe'>,
): EventStore => {
  const authenticate = async ({ stream, events, ...write }: StreamWrite): Promise<StreamWrite> => {
    const authenticated: NewEvent[] = [];
    for (const slice of slicesOf(events, atOnce)) {
      if (authenticated.length > 0) await breathe();
      for (const event of slice) authenticated.push({ ...event, mac: macOf({ ...event, stream }) });
    }
    return { ...write, stream, events: authenticated };
  };
  return {
    ...stored,
    append: async (writes, deadline) => {
      const authenticated: StreamWrite[] = [];
      for (const slice of slicesOf(writes, atOnce)) {
        if (authenticated.length > 0) await breathe();
        for (const write of slice) authenticated.push(await authenticate(write));
      }
      return stored.append(authenticated, deadline);
    },
  };
};
