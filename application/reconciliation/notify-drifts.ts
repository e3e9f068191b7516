import type { Drifted } from '../../domain/aggregates/ledger/drift.js';
import { balanceDrifted } from '../../domain/aggregates/webhook.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import type { Descriptions } from '../assets/token-descriptions.js';
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
import { showDifference } from './difference-record.js';

/**
 * Creates a process that requests a delivery of each BalanceDrifted event to the webhooks that subscribe to its
 * notification type.
 */
export const createDriftNotifier = (ports: NotifierPorts & { readonly descriptions: Descriptions }) => {
  const { readModels, deliveries, descriptions, system } = ports;

  const notify = async function* (context: Context, event: Recorded) {
    const { variant } = context;
    const type = balanceDrifted(variant);
    const { walletId, block, ...drifted } = event.data as Drifted;
    const subscribers = await webhooksWhere(readModels, context, (types) => types?.includes(type) ?? false);
    const listeners = subscribers.filter((webhook) => isNotifiedOf(webhook, event, walletId));
    if (listeners.length === 0) return;
    const describe = await descriptions(context, [drifted.asset]);
    const difference = showDifference(variant, { ...drifted, block: block.number }, describe);
    const notice = { data: { wallet_id: walletId, difference }, notificationType: type };
    const request = (webhook: WebhookDocument) => {
      const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, event.id]);
      return deliveries.request(context, webhook, [{ deliveryId, ...notice }]);
    };
    for await (const _ of requestInPieces(listeners, request)) yield;
  };

  return followInTurns(ports, {
    name: 'drift notifier',
    id: 'tell-drifts',
    ownerOf: ({ type, metadata }) => (type === 'BalanceDrifted' ? metadata.organizationId : null),
    work: async function* (organizationId, drifted) {
      await requirePart(readModels, webhooks, organizationId);
      for (const event of drifted) {
        const context = deliveryContext(event);
        if (context) yield* notify(context, event);
      }
    },
  });
};
