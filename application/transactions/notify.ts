import { type Transaction, type TransactionEvent, transaction } from '../../domain/aggregates/transaction.js';
import { asksForActivity } from '../../domain/aggregates/webhook.js';
import { webhooks } from '../../projections/webhooks.js';
import { groupBy } from '../async/group-by.js';
import { allDone } from '../async/organization-queue.js';
import { slicesOf } from '../async/slices.js';
import { type Context, scopeFor } from '../commands/handle.js';
import { foldStored } from '../commands/read-aggregate.js';
import { beginning, type EventStore, type Recorded } from '../ports/event-store.js';
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

/** Change of a transaction by an event, and the content of its notification. */
type Change = {
  readonly event: Recorded;
  readonly context: Context;
  readonly walletId: string;
  readonly data: object;
};

const catchUpMs = 500;
/** Changes told in one piece, because their content may be large. */
const pieceSize = 32;

/** Events that webhooks are notified of, including the undoing by a reorganization. */
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

/** Requests a delivery for every change of a managed transaction, to each webhook that covers its wallet. */
export const createTransactionNotifier = (ports: Ports) => {
  const { events, readModels, progress, deliveries, system } = ports;
  const follow = fromCheckpoint('tell-transactions', ports);

  /** Returns the transaction as it was right after the event. */
  const asOf = async (event: Recorded): Promise<Transaction> => {
    const past = (await events.read(event.stream)).events;
    const until = past.findIndex(({ id }) => id === event.id);
    return foldStored(transaction, past.slice(0, until + 1));
  };

  const changesOf = async (event: Recorded): Promise<Change[]> => {
    const context = deliveryContext(event);
    const then = await asOf(event);
    if (!context || !then.created) return [];
    const { walletId, from } = then.created;
    const record = showTransaction(then);
    const { confirmations = 0 } = event.data as { confirmations?: number };
    const data = {
      wallet_id: walletId,
      address: from,
      confirmations,
      state: record.transaction_state,
      transaction: record,
    };
    return [{ event, context, walletId, data }];
  };

  /** Notifies the webhooks of one owner, which are read once for all its changes. */
  const tell = async (scope: string, some: readonly Change[]) => {
    for await (const webhook of everyDocument(readModels, webhooks, scope))
      for (const { event, context, walletId, data } of some) {
        const covers = webhook.wallet_id === '' || webhook.wallet_id === walletId;
        if (!covers || !asksForActivity(webhook.notification_types) || webhook.position > event.position) continue;
        const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, event.id]);
        await deliveries.request(context, webhook, [{ deliveryId, data }]);
      }
  };

  const tellPiece = async (piece: readonly Recorded[]) => {
    const changes = (await allDone(piece.map(changesOf))).flat();
    const byOwner = groupBy(changes, ({ context }) => scopeFor(context));
    await allDone([...byOwner].map(([scope, some]) => tell(scope, some)));
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const told = batch.filter(({ type }) => news.has(type));
      const last = told.at(-1)?.position ?? beginning;
      // An abort is thrown, so that the events do not count as handled.
      while (!(await progress.reached(last, catchUpMs))) signal.throwIfAborted();
      for (const piece of slicesOf(told, pieceSize)) await tellPiece(piece);
      return told.length > 0;
    });
};
