import type { Logged } from '../../domain/aggregates/audit/seal-log.js';
import { historySealed, subscribesToSeals } from '../../domain/aggregates/webhook.js';
import { type Variant, variants } from '../../domain/variant.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import { toHeadRecord } from '../audit/log/head-record.js';
import type { Recorded } from '../ports/event-store.js';
import { followInTurns } from '../processes/follow-in-turns.js';
import { requirePart } from '../read-models/require-part.js';
import { deliveryIdFor } from './deliveries.js';
import { deliveryContextFor, type NotifierPorts, requestInPieces, webhooksWhere } from './notifier.js';

const payloadOf = ({ organizationId, count, hash, position, index, head }: Logged) => ({
  seal: { organization_id: organizationId, count, hash, position, leaf_index: index },
  head: toHeadRecord(head),
});

/**
 * Creates a process that requests a delivery for each seal, with the log head that includes the seal, to the
 * organization's webhooks that subscribe to seals. If several seals wait, only the last seal is sent, because it
 * covers the earlier seals. Organizations take turns, a bounded number of deliveries each.
 */
export const createSealNotifier = (ports: NotifierPorts) => {
  const { readModels, deliveries, system } = ports;

  const notifyWebhooks = async function* (variant: Variant, event: Recorded) {
    const logged = event.data as Logged;
    const context = deliveryContextFor(variant, { ...event.metadata, organizationId: logged.organizationId });
    const listeners = await webhooksWhere(readModels, context, subscribesToSeals);
    const request = (webhook: WebhookDocument) => {
      const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, event.id]);
      const notice = { deliveryId, data: payloadOf(logged), notificationType: historySealed };
      return deliveries.request(context, webhook, [notice]);
    };
    const older = listeners.filter(({ position }) => position <= event.position);
    for await (const _ of requestInPieces(older, request)) yield;
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
