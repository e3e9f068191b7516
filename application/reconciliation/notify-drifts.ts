import type { Drifted } from '../../domain/aggregates/ledger/drift.js';
import { balanceDrifted } from '../../domain/aggregates/webhook.js';
import { findVariant, type Variant } from '../../domain/variant.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import type { Descriptions } from '../assets/token-descriptions.js';
import { slicesOf } from '../async/slices.js';
import { allSettledOrThrow } from '../async/turns/organization-queue.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { followInTurns } from '../processes/follow-in-turns.js';
import { everyDocument } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { requirePart } from '../read-models/require-part.js';
import { type Deliveries, deliveryIdFor } from '../webhooks/deliveries.js';
import { showDifference } from './difference-record.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly deliveries: Deliveries;
  readonly descriptions: Descriptions;
  readonly system: System;
};

/** Deliveries requested in one piece. */
const deliveriesAtOnce = 32;

/** Requests a delivery for each BalanceDrifted to the webhooks that subscribe to this notification type. */
export const createDriftNotifier = (ports: Ports) => {
  const { readModels, deliveries, descriptions, system } = ports;

  const listenersOf = async (context: Context) => {
    const found: WebhookDocument[] = [];
    for await (const webhook of everyDocument(readModels, webhooks, scopeFor(context)))
      if (webhook.notification_types?.includes(balanceDrifted(context.variant))) found.push(webhook);
    return found;
  };
  const notify = async function* (variant: Variant, { id, position, data, metadata }: Recorded) {
    const { organizationId, requestId } = metadata;
    const context: Context = { organizationId, variant, actor: { kind: 'process', id: 'deliverer' }, requestId };
    const { walletId, block, ...drifted } = data as Drifted;
    const isWanted = ({ wallet_id, position: since }: WebhookDocument) =>
      since <= position && (wallet_id === '' || wallet_id === walletId);
    const listeners = (await listenersOf(context)).filter(isWanted);
    if (listeners.length === 0) return;
    const describe = await descriptions(context, [drifted.asset]);
    const difference = showDifference(variant, { ...drifted, block: block.number }, describe);
    const notice = { data: { wallet_id: walletId, difference }, notificationType: balanceDrifted(variant) };
    const request = (webhook: WebhookDocument) => {
      const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, id]);
      return deliveries.request(context, webhook, [{ deliveryId, ...notice }]);
    };
    for (const piece of slicesOf(listeners, deliveriesAtOnce)) {
      await allSettledOrThrow(piece.map(request));
      yield;
    }
  };

  return followInTurns(ports, {
    name: 'drift notifier',
    id: 'tell-drifts',
    ownerOf: ({ type, metadata }) => (type === 'BalanceDrifted' ? metadata.organizationId : null),
    work: async function* (organizationId, drifted) {
      await requirePart(readModels, webhooks, organizationId);
      for (const event of drifted) {
        const variant = findVariant(event.metadata.variant);
        if (variant) yield* notify(variant, event);
      }
    },
  });
};
