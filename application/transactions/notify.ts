import { type Transaction, type TransactionEvent, transaction } from '../../domain/aggregates/transaction.js';
import { subscribesToActivity } from '../../domain/aggregates/webhook.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import { groupBy } from '../async/group-by.js';
import { allSettledOrThrow } from '../async/organization-queue.js';
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
import { requirePart } from '../read-models/require-part.js';
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

/** State change of a transaction, and the payload of its notification. */
type Change = {
  readonly event: Recorded;
  readonly context: Context;
  readonly walletId: string;
  readonly data: object;
};

const catchUpMs = 500;
/** Changes processed together. Kept low, because payloads may be large. */
const sliceSize = 32;

/** Events that webhooks are notified of, including `TransactionDropped` after a reorg. */
const notifiedEvents: ReadonlySet<string> = new Set<TransactionEvent['type']>([
  'TransactionSent',
  'TransactionMined',
  'TransactionConfirmed',
  'TransactionFailed',
  'TransactionReplaced',
  'TransactionDropped',
  'TransactionCanceled',
  'CancellationMined',
]);

/** Returns true for a webhook that covers the wallet, subscribes to activity and is older than the change. */
const isNotifiedOf = (webhook: WebhookDocument, { event, walletId }: Change) =>
  (webhook.wallet_id === '' || webhook.wallet_id === walletId) &&
  subscribesToActivity(webhook.notification_types) &&
  webhook.position <= event.position;

/** Requests a delivery for every state change of a managed transaction, to each webhook that covers its wallet. */
export const createTransactionNotifier = (ports: Ports) => {
  const { events, readModels, progress, deliveries, system } = ports;
  const follow = fromCheckpoint('tell-transactions', ports);

  /** Returns the transaction as of the event. */
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

  /** Notifies the webhooks of one owner, which are read once for all changes. */
  const notifyWebhooks = async (scope: string, some: readonly Change[]) => {
    for (const { context } of some.slice(-1)) await requirePart(readModels, webhooks, context.organizationId);
    for await (const webhook of everyDocument(readModels, webhooks, scope))
      for (const { event, context, data } of some.filter((change) => isNotifiedOf(webhook, change))) {
        const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, event.id]);
        await deliveries.request(context, webhook, [{ deliveryId, data }]);
      }
  };

  const notifySlice = async (slice: readonly Recorded[]) => {
    const changes = (await allSettledOrThrow(slice.map(changesOf))).flat();
    const byOwner = groupBy(changes, ({ context }) => scopeFor(context));
    await allSettledOrThrow([...byOwner].map(([scope, some]) => notifyWebhooks(scope, some)));
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const notified = batch.filter(({ type }) => notifiedEvents.has(type));
      const last = notified.at(-1)?.position ?? beginning;
      // Throwing keeps the checkpoint before these events.
      while (!(await progress.reached(last, catchUpMs))) signal.throwIfAborted();
      for (const slice of slicesOf(notified, sliceSize)) await notifySlice(slice);
      return notified.length > 0;
    });
};
