import { fold } from '../../domain/decider.js';
import { type Transaction, type TransactionEvent, transaction } from '../../domain/transaction.js';
import { webhooks } from '../../projections/webhooks.js';
import { scopeFor } from '../commands/handle.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { everyDocument } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { type Deliveries, deliveryIdFor } from '../webhooks/deliveries.js';
import { deliveryContext } from '../webhooks/delivery-context.js';
import { showTransaction } from './wire-record.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly deliveries: Deliveries;
  readonly system: System;
};

const catchUpMs = 500;

/** What changes a state that others want to know of; that a reorganization took something back is news too. */
const news: ReadonlySet<string> = new Set<TransactionEvent['type']>([
  'TransactionSent',
  'TransactionMined',
  'TransactionConfirmed',
  'TransactionFailed',
  'TransactionReplaced',
  'TransactionDropped',
  'TransactionCanceled',
  'CancellationMined',
]);

/** Asks for a notice of every change of a managed transaction, for each webhook that covers its wallet. */
export const createTransactionTeller = (ports: Ports) => {
  const { events, readModels, progress, deliveries, system } = ports;
  const follow = fromCheckpoint('tell-transactions', ports);

  /** As it was right after the event. */
  const asOf = async (event: Recorded): Promise<Transaction> => {
    const past = (await events.read(event.stream)).events;
    const until = past.findIndex(({ id }) => id === event.id);
    return fold(transaction, past.slice(0, until + 1) as never);
  };

  const tell = async (event: Recorded, signal: AbortSignal) => {
    const context = deliveryContext(event);
    const then = await asOf(event);
    if (!context || !then.created) return;
    const { walletId, from } = then.created;
    // Thrown, so that it is not taken for done.
    while (!(await progress.reached(event.position, catchUpMs))) signal.throwIfAborted();
    const record = showTransaction(then);
    const { confirmations = 0 } = event.data as { confirmations?: number };
    const data = {
      wallet_id: walletId,
      address: from,
      confirmations,
      state: record.transaction_state,
      transaction: record,
    };
    for await (const webhook of everyDocument(readModels, webhooks, scopeFor(context))) {
      const covers = webhook.wallet_id === '' || webhook.wallet_id === walletId;
      if (!covers || webhook.position > event.position) continue;
      const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, event.id]);
      await deliveries.request(context, { deliveryId, webhookId: webhook.webhook_id, data });
    }
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const told = batch.filter(({ type }) => news.has(type));
      for (const event of told) await tell(event, signal);
      return told.length > 0;
    });
};
