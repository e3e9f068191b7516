import { webhook } from '../../domain/aggregates/webhook.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { followInTurns } from '../processes/follow-in-turns.js';
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

/**
 * Types of events after which leftover headers are removed. A header may be registered while its webhook is being
 * removed.
 */
const concerned: readonly string[] = ['WebhookRemoved', 'WebhookHeaderRegistered'];

/**
 * Creates a process that removes headers of removed webhooks. Such headers are left over if the removal of the webhook
 * crashed or missed the headers, or if an older release kept the headers. Leftover headers would count against the
 * quota and keep their secrets forever. Organizations take turns, so that an organization whose webhooks cannot be read
 * does not delay others.
 */
export const createLeftoverHeaders = (ports: Ports) => {
  const { events, headers } = ports;

  const react = async (event: Recorded) => {
    const context = deliveryContext(event);
    const { webhookId } = event.data as { webhookId?: string };
    if (!context || webhookId === undefined) return;
    const { state } = await readAggregate(events, webhook, context.organizationId, webhookKey(context, webhookId));
    if (state === 'removed') await headers.removeAllOf(context, webhookId);
  };

  return followInTurns(ports, {
    name: 'webhook header cleanup',
    id: 'leftover-headers',
    ownerOf: ({ type, metadata }) => (concerned.includes(type) ? metadata.organizationId : null),
    work: async function* (_, some) {
      for (const event of some) {
        await react(event);
        yield;
      }
    },
  });
};
