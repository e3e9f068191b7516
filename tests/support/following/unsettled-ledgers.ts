import { foldStored } from '../../../application/commands/read-aggregate.js';
import type { EventStore, Recorded } from '../../../application/ports/event-store.js';
import { ledger } from '../../../domain/aggregates/ledger.js';
import { allEvents } from './following.js';

/** Returns the streams of an organization's ledgers with transfers to confirm or balances to read. */
export const unsettledLedgers = async (events: EventStore, organizationId: string): Promise<readonly string[]> => {
  const byStream = new Map<string, Recorded[]>();
  for (const event of await allEvents(events))
    if (event.stream.startsWith(`${organizationId}.${ledger.stream}-`))
      byStream.set(event.stream, [...(byStream.get(event.stream) ?? []), event]);
  return [...byStream].flatMap(([stream, stored]) => {
    const { phase, unread } = foldStored(ledger, stored);
    return phase === 'pending' || phase === 'due' || unread ? [stream] : [];
  });
};
