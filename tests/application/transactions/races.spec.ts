import assert from 'node:assert/strict';
import { createHandle } from '../../../application/commands/handle.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import type { TransactionCommand } from '../../../domain/aggregates/transaction.js';
import { eventStores } from '../../support/engines/adapters.js';
import { usePlace } from '../../support/engines/places.js';
import { allEvents, contextOf } from '../../support/following/following.js';
import { createdTransaction } from '../../support/histories/created-transaction.js';
import { testSystem } from '../../support/silent.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const rounds = 100;
type Handle = ReturnType<typeof createHandle>;
const commandFor = (handle: Handle, command: TransactionCommand) =>
  handle(context, [transactionStep(context, command)]);
const endsOf = async (store: EventStore, transactionId: string) =>
  (await allEvents(store))
    .filter(({ data }) => (data as { transactionId: string }).transactionId === transactionId)
    .map(({ type }) => type)
    .filter((type) => ['TransactionSent', 'TransactionCanceled'].includes(type));

describe('commands that race for a transaction in two processes', () => {
  const { open } = usePlace(eventStores.sqlite);
  let stores: [EventStore, EventStore];
  beforeEach(async () => {
    stores = [await open(), await open()];
  });

  it('either send it once or cancel it, and never both', async () => {
    const [here, there] = stores.map((store) => createHandle(store, testSystem)) as [Handle, Handle];
    for (let n = 0; n < rounds; n++) {
      const transactionId = `t${n}`;
      const send: TransactionCommand = { type: 'Send', data: { transactionId } };
      const cancel: TransactionCommand = { type: 'Cancel', data: { transactionId } };
      await commandFor(here, { type: 'Create', data: { ...createdTransaction, transactionId } });
      await commandFor(here, { type: 'Sign', data: { transactionId, raw: '0xraw', hash: `0x${n}` } });
      const race = [
        commandFor(n % 2 ? here : there, send),
        commandFor(n % 2 ? there : here, cancel),
        commandFor(there, send),
        commandFor(here, cancel),
      ];
      const taken = (await Promise.allSettled(race)).filter(({ status }) => status === 'fulfilled').length;
      const ends = await endsOf(stores[0], transactionId);
      assert.equal(ends.length, 1, String(ends));
      // A second Send succeeds without an event, a second Cancel is rejected, and either may fail with CONFLICT.
      assert.ok(taken >= 1 && taken <= (ends.includes('TransactionSent') ? 2 : 1), `${taken} ${ends}`);
    }
  });
});
