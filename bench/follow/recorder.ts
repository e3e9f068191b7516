import type { StreamWrite } from '../../application/ports/event-store.js';
import type { Stores } from './stores.js';

type Notice = { readonly block?: { readonly number: number } };

/** Wraps the stores to record the times at which events about a block are written, in Unix ms by height. */
export const createRecorder = (given: Stores) => {
  const observedAt = new Map<number, number>();
  const settledAt = new Map<number, number>();
  const counts = { appends: 0, observed: 0, confirmed: 0, balances: 0 };
  const count = { TransferObserved: 'observed', TransferConfirmed: 'confirmed', BalanceRead: 'balances' } as const;

  const note = (writes: readonly StreamWrite[], at: number) => {
    counts.appends++;
    for (const { type, data } of writes.flatMap(({ events }) => events)) {
      const number = (data as Notice).block?.number ?? -1;
      if (type in count) counts[count[type as keyof typeof count]]++;
      if (type === 'TransferObserved') observedAt.set(number, at);
      if (type === 'ActivitySettled') settledAt.set(number, at);
    }
  };
  const append: Stores['events']['append'] = async (writes) => {
    const position = await given.events.append(writes);
    note(writes, Date.now());
    return position;
  };
  return { stores: { ...given, events: { ...given.events, append } }, observedAt, settledAt, counts };
};
