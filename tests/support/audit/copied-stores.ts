import { beginning, type EventStore } from '../../../application/ports/event-store.js';
import { type Bucket, noEntry, type StateStore } from '../../../application/ports/state.js';

type Stores = { readonly events: EventStore; readonly state: StateStore };

const buckets: readonly Bucket[] = ['vault', 'processes'];

/** Copies all events and process state into empty stores, as a backup of both stores at the same moment would. */
export const copyStores = async (from: Stores, to: Stores) => {
  for await (const batch of from.events.readAll(beginning)) await to.events.adopt(batch);
  for (const bucket of buckets) {
    let ids = await from.state.ids(bucket, '');
    while (ids.length > 0) {
      for (const id of ids) {
        const entry = await from.state.get(bucket, id);
        if (entry) await to.state.put(bucket, id, entry.value, noEntry);
      }
      ids = await from.state.ids(bucket, ids.at(-1) as string);
    }
  }
};
