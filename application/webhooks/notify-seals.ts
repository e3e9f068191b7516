import type { Logged } from '../../domain/aggregates/audit/seal-log.js';
import { historySealed, subscribesToSeals } from '../../domain/aggregates/webhook.js';
import { type Variant, variants } from '../../domain/variant.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import { slicesOf } from '../async/slices.js';
import { allSettledOrThrow } from '../async/turns/organization-queue.js';
import { toHeadRecord } from '../audit/log/head-record.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { followInTurns } from '../processes/follow-in-turns.js';
import { everyDocument } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { requirePart } from '../read-models/require-part.js';
import { type Deliveries, deliveryIdFor } from './deliveries.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly deliveries: Deliveries;
  readonly system: System;
};

/** Deliveries requested in one piece. */
const deliveriesAtOnce = 32;

const payloadOf = ({ organizationId, count, hash, position, index, head }: Logged) => ({
  seal: { organization_id: organizationId, count, hash, position, leaf_index: index },
  head: toHeadRecord(head),
});

/**
 * Requests a delivery for each seal, with the log head that includes it, to the organization's webhooks that subscribe to
 * seals. Of several seals that wait, only the last is sent, because it covers the earlier ones. Organizations take turns,
 * a bounded number of deliveries each.
 */
export const createSealNotifier = (ports: Ports) => {
  const { readModels, deliveries, system } = ports;

  const notifyWebhooks = async function* (variant: Variant, { id, position, data, metadata }: Recorded) {
    const logged = data as Logged;
    const { organizationId } = logged;
    const { requestId } = metadata;
    const context: Context = { organizationId, variant, actor: { kind: 'process', id: 'deliverer' }, requestId };
    const listeners: WebhookDocument[] = [];
    for await (const webhook of everyDocument(readModels, webhooks, scopeFor(context)))
      if (subscribesToSeals(webhook.notification_types) && webhook.position <= position) listeners.push(webhook);
    const notify = (webhook: WebhookDocument) => {
      const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, id]);
      const notice = { deliveryId, data: payloadOf(logged), notificationType: historySealed };
      return deliveries.request(context, webhook, [notice]);
    };
    for (const piece of slicesOf(listeners, deliveriesAtOnce)) {
      await allSettledOrThrow(piece.map(notify));
      yield;
    }
  };

  return followInTurns(ports, {
    name: 'seal notifier',
    id: 'tell-seals',
    isNewestEnough: true,
    ownerOf: ({ type, data }) => (type === 'SealLogged' ? (data as Logged).organizationId : null),
    work: async function* (organizationId, sealed) {
      await requirePart(readModels, webhooks, organizationId);
      for (const event of sealed.slice(-1))
        for (const variant of variants.filter(({ surface }) => surface === 'wallet'))
          yield* notifyWebhooks(variant, event);
    },
  });
};
