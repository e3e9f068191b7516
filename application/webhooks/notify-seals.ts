import type { Logged } from '../../domain/aggregates/audit/seal-log.js';
import { asksForSeals, historySealed } from '../../domain/aggregates/webhook.js';
import { type Variant, variants } from '../../domain/variant.js';
import { webhooks } from '../../projections/webhooks.js';
import { shownHead } from '../audit/log/shown-head.js';
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

/** Keeps the last seal of each organization, which covers those before it. */
const newestByOrganization = (batch: readonly Recorded[]) => {
  const newest = new Map<string, Recorded>();
  for (const event of batch) if (event.type === 'SealLogged') newest.set((event.data as Logged).organizationId, event);
  return newest;
};

const noticeOf = ({ organizationId, count, hash, position, index, head }: Logged) => ({
  seal: { organization_id: organizationId, count, hash, position, leaf_index: index },
  head: shownHead(head),
});

/**
 * Requests a delivery for each seal of an organization, with the head of the log that includes it, to those of the
 * organization's webhooks that ask for it. Of seals that are read at once only the last is told.
 */
export const createSealNotifier = (ports: Ports) => {
  const { readModels, progress, deliveries, system } = ports;
  const follow = fromCheckpoint('tell-seals', ports);

  const tellOn = async (variant: Variant, { id, position, data, metadata }: Recorded) => {
    const logged = data as Logged;
    const { organizationId } = logged;
    const { requestId } = metadata;
    const context: Context = { organizationId, variant, actor: { kind: 'process', id: 'deliverer' }, requestId };
    for await (const webhook of everyDocument(readModels, webhooks, scopeFor(context))) {
      if (!asksForSeals(webhook.notification_types) || webhook.position > position) continue;
      const deliveryId = deliveryIdFor(system, context, [webhook.webhook_id, id]);
      const notice = { deliveryId, data: noticeOf(logged), notificationType: historySealed };
      await deliveries.request(context, webhook, [notice]);
    }
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const newest = [...newestByOrganization(batch).values()];
      const last = newest.at(-1)?.position ?? beginning;
      // An abort is thrown, so that the events do not count as handled.
      while (!(await progress.reached(last, catchUpMs))) signal.throwIfAborted();
      for (const event of newest)
        for (const variant of variants.filter(({ surface }) => surface === 'wallet')) await tellOn(variant, event);
      return newest.length > 0;
    });
};
