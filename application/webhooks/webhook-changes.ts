import type { DeliveryCommand } from '../../domain/aggregates/delivery.js';
import { systemOwner } from '../../projections/define.js';
import { type OpenDeliveryDocument, openDeliveries } from '../../projections/deliveries.js';
import { type Context, type Handle, scopeFor } from '../commands/handle.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { Jobs } from '../ports/jobs.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { followInTurns } from '../processes/follow-in-turns.js';
import type { Progress } from '../read-models/progress.js';
import { deliveryStep } from './deliveries.js';
import { deliveryContext } from './notifier.js';
import { jobOf } from './queue-deliveries.js';
import { webhookState } from './webhook-stream.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly system: System;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly handle: Handle;
  readonly jobs: Jobs;
};
type WebhookState = Awaited<ReturnType<typeof webhookState>>;
type Change = (context: Context, webhookId: string, state: WebhookState) => AsyncGenerator<void>;

const pageSize = 200;
const catchUpMs = 30_000;

/**
 * Creates a process that cancels the deliveries of removed webhooks, parks the deliveries of disabled webhooks, and
 * queues the deliveries of reactivated webhooks. The process runs apart from the delivery queue, and organizations
 * take turns, one page of deliveries each, so that a webhook with any number of deliveries does not delay other
 * webhooks.
 */
export const createWebhookChanges = (ports: Ports) => {
  const { events, readModels, progress, handle, jobs } = ports;

  const openOf = async function* (context: Context, webhookId: string) {
    // The read model must include all deliveries requested so far.
    await progress.reached(await events.head(), catchUpMs, context.organizationId);
    let after: PageKey | undefined;
    do {
      const query = { index: 'byWebhook', equal: [scopeFor(context), webhookId], limit: pageSize, after };
      const page = await readModels.page(openDeliveries, systemOwner, query);
      yield page.documents;
      after = page.next ?? undefined;
    } while (after);
  };
  const changeAll = (
    context: Context,
    some: readonly OpenDeliveryDocument[],
    type: Extract<DeliveryCommand['type'], 'Cancel' | 'Park' | 'Unpark'>,
  ) =>
    Promise.all(
      some.map(({ delivery_id: deliveryId, webhook_id: webhookId }) =>
        handle(context, [deliveryStep(context, deliveryId, { type, data: { deliveryId, webhookId } })]),
      ),
    );

  const stop = (type: 'Cancel' | 'Park', isTrue: (state: WebhookState) => boolean): Change =>
    async function* (context, webhookId, state) {
      if (!isTrue(state)) return;
      for await (const some of openOf(context, webhookId)) {
        const concerned = type === 'Park' ? some.filter(({ parked }) => parked === 'no') : some;
        await jobs.remove(concerned.map(({ delivery_id }) => delivery_id));
        await changeAll(context, concerned, type);
        yield;
      }
    };
  const resume: Change = async function* (context, webhookId) {
    for await (const some of openOf(context, webhookId)) {
      const isParked = ({ parked }: OpenDeliveryDocument) => parked === 'yes';
      await changeAll(context, some.filter(isParked), 'Unpark');
      await jobs.put(some.filter((one) => !isParked(one)).map(jobOf));
      yield;
    }
  };
  const changes: Readonly<Record<string, Change>> = {
    WebhookRemoved: stop('Cancel', () => true),
    // Deliveries are not parked if the webhook was reactivated after the event.
    WebhookDisabled: stop('Park', (state) => state === 'disabled'),
    WebhookRevived: resume,
  };

  const react = async function* (event: Recorded) {
    const context = deliveryContext(event);
    const change = changes[event.type];
    if (!context || !change) return;
    const { webhookId } = event.data as { webhookId: string };
    yield* change(context, webhookId, await webhookState(events, context, webhookId));
  };

  return followInTurns(ports, {
    name: 'webhook changes',
    id: 'webhook-changes',
    splitFrom: 'queue-deliveries',
    ownerOf: ({ type, metadata }) => (Object.hasOwn(changes, type) ? metadata.organizationId : null),
    work: async function* (_, changed) {
      for (const event of changed) yield* react(event);
    },
  });
};
