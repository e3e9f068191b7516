import { webhook } from '../../domain/aggregates/webhook.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import type { Progress } from '../read-models/progress.js';
import { deliveryContext } from './delivery-context.js';
import type { WebhookHeaders } from './headers.js';
import { webhookKey } from './webhooks.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly progress: Progress;
  readonly headers: Pick<WebhookHeaders, 'removeAllOf'>;
};

const catchUpMs = 1000;
/** A header may be registered in the moment in which its webhook is removed. */
const concerned: readonly string[] = ['WebhookRemoved', 'WebhookHeaderRegistered'];

/**
 * Removes the headers that removed webhooks left behind: those that the removal did not see or did not get to, and those
 * of the versions in which a removal left them. They would count against the quota for ever, and keep their secrets.
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
