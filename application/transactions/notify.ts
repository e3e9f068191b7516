import type { TransactionEvent } from '../../domain/aggregates/transaction.js';
import { subscribesToActivity } from '../../domain/aggregates/webhook.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import { groupBy } from '../async/group-by.js';
import { slicesOf } from '../async/slices.js';
import { allSettledOrThrow } from '../async/turns/organization-queue.js';
import type { Context } from '../commands/handle.js';
import type { Recorded } from '../ports/event-store.js';
import { followInTurns } from '../processes/follow-in-turns.js';
import { requirePart } from '../read-models/require-part.js';
import { deliveryIdFor } from '../webhooks/deliveries.js';
import {
  deliveryContext,
  isNotifiedOf,
  type NotifierPorts,
  requestInPieces,
  webhooksWhere,
} from '../webhooks/notifier.js';
import { showTransaction } from './wire-record.js';

/** State change of a transaction, and the payload of its notification. */
type Change = {
  readonly event: Recorded;
  readonly context: Context;
  readonly walletId: string;
  readonly data: object;
};

/**
 * Number of changes that are handled together. Low, because the payloads of the changes, which are held in memory,
 * include the call data.
 */
const changesAtOnce = 8;

/** Events that webhooks are notified of, including `TransactionDropped` after a reorg. */
export const notifiedEvents: ReadonlySet<string> = new Set<TransactionEvent['type']>([
  'TransactionSent',
  'TransactionMined',
  'TransactionConfirmed',
  'TransactionFailed',
  'TransactionReplaced',
  'TransactionDropped',
  'TransactionCanceled',
  'CancellationMined',
]);

/**
 * Creates a process that requests a delivery for every state change of a managed transaction to each webhook that
 * covers its wallet. If no webhook is notified, the change is recorded for the notification feed. Organizations take
 * turns, a bounded number of deliveries each.
 */
export const createTransactionNotifier = (ports: NotifierPorts) => {
  const { events, readModels, deliveries, system } = ports;

  /** Returns the transaction as of the event. */
  const asOf = async (event: Recorded) => {
    const past = (await events.read(event.stream)).events;
    const until = past.findIndex(({ id }) => id === event.id);
    return showTransaction(past.slice(0, until + 1));
  };

  const changesOf = async (event: Recorded): Promise<Change[]> => {
    const context = deliveryContext(event);
    const transaction = await asOf(event);
    if (!context || !transaction) return [];
    const { wallet_id, from, transaction_state } = transaction;
    const { confirmations = 0 } = event.data as { confirmations?: number };
    const data = { wallet_id, address: from, confirmations, state: transaction_state, transaction };
    return [{ event, context, walletId: wallet_id, data }];
  };

  const notify = async ({ webhook, change }: { webhook: WebhookDocument; change: Change }) => {
    const { event, context, data } = change;
    const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, event.id]);
    return (await deliveries.request(context, webhook, [{ deliveryId, data }])) ? change : null;
  };
  /** Records a change of which no webhook was notified, so that the notification feed contains it. */
  const record = ({ event, context, data }: Change) =>
    deliveries.record(context, { deliveryId: deliveryIdFor(system, context, ['', event.id]), data });
  /** Notifies the webhooks of one API of the changes. The webhooks are read once for all changes. */
  const notifyAll = async function* (context: Context, changed: readonly Recorded[]) {
    const listeners = await webhooksWhere(readModels, context, subscribesToActivity);
    for (const some of slicesOf(changed, changesAtOnce)) {
      const changes = (await allSettledOrThrow(some.map(changesOf))).flat();
      const due = changes.flatMap((change) =>
        listeners
          .filter((webhook) => isNotifiedOf(webhook, change.event, change.walletId))
          .map((webhook) => ({ webhook, change })),
      );
      const notified = new Set<Change | null>();
      for await (const piece of requestInPieces(due, notify)) {
        for (const change of piece) notified.add(change);
        yield;
      }
      await allSettledOrThrow(changes.filter((change) => !notified.has(change)).map(record));
      yield;
    }
  };

  return followInTurns(ports, {
    name: 'transaction notifier',
    id: 'tell-transactions',
    ownerOf: ({ type, metadata }) => (notifiedEvents.has(type) ? metadata.organizationId : null),
    work: async function* (organizationId, changed) {
      await requirePart(readModels, webhooks, organizationId);
      for (const some of groupBy(changed, ({ metadata }) => metadata.variant ?? '').values()) {
        const [first] = some;
        const context = first && deliveryContext(first);
        if (context) yield* notifyAll(context, some);
      }
    },
  });
};
