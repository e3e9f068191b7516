import type { Logged } from '../../domain/aggregates/audit/seal-log.js';
import { historySealed, subscribesToSeals } from '../../domain/aggregates/webhook.js';
import { type Variant, variants } from '../../domain/variant.js';
import { webhooks } from '../../projections/webhooks.js';
import { toHeadRecord } from '../audit/log/head-record.js';
import { type Context, scopeFor } from '../commands/handle.js';
import { beginning, type EventStore, type Recorded } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { everyDocument } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { type Deliveries, deliveryIdFor } from './deliveries.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly deliveries: Deliveries;
  readonly system: System;
};

const catchUpMs = 500;

/** Returns the last seal of each organization, which covers the earlier ones. */
const newestByOrganization = (batch: readonly Recorded[]) => {
  const newest = new Map<string, Recorded>();
  for (const event of batch) if (event.type === 'SealLogged') newest.set((event.data as Logged).organizationId, event);
  return newest;
};

const payloadOf = ({ organizationId, count, hash, position, index, head }: Logged) => ({
  seal: { organization_id: organizationId, count, hash, position, leaf_index: index },
  head: toHeadRecord(head),
});

/**
 * Requests a delivery for each seal, with the log head that includes it, to the organization's webhooks that subscribe to
 * seals. Of several seals in one batch, only the last is sent.
 */
export const createSealNotifier = (ports: Ports) => {
  const { readModels, progress, deliveries, system } = ports;
  const follow = fromCheckpoint('tell-seals', ports);

  const notifyWebhooks = async (variant: Variant, { id, position, data, metadata }: Recorded) => {
    const logged = data as Logged;
    const { organizationId } = logged;
    const { requestId } = metadata;
    const context: Context = { organizationId, variant, actor: { kind: 'process', id: 'deliverer' }, requestId };
    for await (const webhook of everyDocument(readModels, webhooks, scopeFor(context))) {
      if (!subscribesToSeals(webhook.notification_types) || webhook.position > position) continue;
      const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, id]);
      const notice = { deliveryId, data: payloadOf(logged), notificationType: historySealed };
      await deliveries.request(context, webhook, [notice]);
    }
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const newest = [...newestByOrganization(batch).values()];
      const last = newest.at(-1)?.position ?? beginning;
      // Throwing keeps the checkpoint before these events.
      while (!(await progress.reached(last, catchUpMs))) signal.throwIfAborted();
      for (const event of newest)
        for (const variant of variants.filter(({ surface }) => surface === 'wallet'))
          await notifyWebhooks(variant, event);
      return newest.length > 0;
    });
};
