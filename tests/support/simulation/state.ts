import { type Bucket, type Entry, noEntry, type StateStore } from '../../../application/ports/state.js';
import type { Gate } from './gate.js';

export type StateEntries = Map<string, Entry>;

const idsAtOnce = 1000;
const keyOf = (bucket: Bucket, id: string) => `${bucket} ${id}`;
const byText = (a: string, b: string) => (a < b ? -1 : 1);

/** Opens the state store, with the entries that all processes share, for one process. */
export const simulatedState = (entries: StateEntries, gate: Gate): StateStore => {
  const call = <T>(name: string, effect: () => T) => gate.call(`state.${name}`, effect);
  return {
    get: (bucket, id) => call('get', () => entries.get(keyOf(bucket, id)) ?? null),
    ids: (bucket, after) =>
      call('ids', () =>
        [...entries.keys()]
          .filter((key) => key.startsWith(`${bucket} `))
          .map((key) => key.slice(bucket.length + 1))
          .filter((id) => id > after)
          .sort(byText)
          .slice(0, idsAtOnce),
      ),
    put: (bucket, id, value, expected) =>
      call('put', () => {
        const found = entries.get(keyOf(bucket, id));
        if ((found?.revision ?? noEntry) !== expected) return false;
        entries.set(keyOf(bucket, id), { value, revision: expected + 1 });
        return true;
      }),
    destroy: (bucket, id) => call('destroy', () => void entries.delete(keyOf(bucket, id))),
    close: async () => undefined,
  };
};
