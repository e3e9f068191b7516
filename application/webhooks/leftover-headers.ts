import { webhook } from '../../domain/aggregates/webhook.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import type { Progress } from '../read-models/progress.js';
import type { WebhookHeaders } from './headers.js';
import { deliveryContext } from './notifier.js';
import { webhookKey } from './webhook-stream.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly system: System;
  readonly progress: Progress;
  readonly headers: Pick<WebhookHeaders, 'removeAllOf'>;
};

const catchUpMs = 1000;
/**
 * Types of events after which leftover headers are removed. A header may be registered while its webhook is being
 * removed.
 */
const concerned: readonly string[] = ['WebhookRemoved', 'WebhookHeaderRegistered'];

/**
 * Removes headers of removed webhooks. Such headers are left over if the removal of the webhook crashed or missed the
 * headers, or if an older release kept the headers. Leftover headers would count against the quota and keep their
 * secrets forever.
 */
export const createLeftoverHeaders = (ports: Ports) => {
  const { events, progress, headers } = ports;
  const follow = fromCheckpoint('leftover-headers', ports);

  const react = async (event: Recorded, signal: AbortSignal) => {
    const context = deliveryContext(event);
    const { webhookId } = event.data as { webhookId?: string };
    if (!context || webhookId === undefined) return;
    const { state } = await readAggregate(events, webhook, context.organizationId, webhookKey(context, webhookId));
    if (state !== 'removed') return;
    while (!(await progress.reached(event.position, catchUpMs))) signal.throwIfAborted();
    await headers.removeAllOf(context, webhookId);
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const some = batch.filter(({ type }) => concerned.includes(type));
      for (const event of some) await react(event, signal);
      return some.length > 0;
    });
};
