import { Failure } from '../../domain/failure.js';
import { openDeliveries } from '../../projections/deliveries.js';
import { type Context, type Handle, scopeFor } from '../commands/handle.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { Jobs } from '../ports/jobs.js';
import type { DocumentKey, PageKey, ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import type { Progress } from '../read-models/progress.js';
import { deliveryStep } from './deliveries.js';
import { deliveryContext } from './delivery-context.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly handle: Handle;
  readonly jobs: Jobs;
  readonly system: System;
};
type Data = { readonly deliveryId: string; readonly webhookId: string };

const pageSize = 200;
const repairEveryMs = 60_000;
const lookEveryMs = 1000;
const catchUpMs = 30_000;

/** Puts what is to be delivered into the queue as it is asked for. */
export const createDeliveryQueue = (ports: Ports) => {
  const { events, readModels, progress, handle, jobs } = ports;
  const follow = fromCheckpoint('queue-deliveries', ports);

  const openOf = async function* (context: Context, webhookId: string) {
    // The list is a read model: it must include what was asked for before.
    await progress.reached(await events.head(), catchUpMs);
    let after: PageKey | undefined;
    do {
      const query = { index: 'byWebhook', equal: [webhookId], limit: pageSize, after };
      const page = await readModels.page(openDeliveries, scopeFor(context), query);
      yield page.documents;
      after = page.next ?? undefined;
    } while (after);
  };
  const cancelAll = async (context: Context, webhookId: string) => {
    for await (const some of openOf(context, webhookId)) {
      await jobs.remove(some.map(({ delivery_id }) => delivery_id));
      await Promise.all(
        some.map(({ delivery_id: deliveryId }) =>
          handle(context, [deliveryStep(context, deliveryId, { type: 'Cancel', data: { deliveryId, webhookId } })]),
        ),
      );
    }
  };
  const putAll = async (context: Context, webhookId: string) => {
    for await (const some of openOf(context, webhookId))
      await jobs.put(some.map(({ delivery_id, next_at }) => ({ id: delivery_id, lane: webhookId, at: next_at })));
  };

  const isAsked = ({ type }: Recorded) => type === 'DeliveryRequested' || type === 'DeliveryResent';
  const react = async (event: Recorded) => {
    const context = deliveryContext(event);
    const { webhookId } = event.data as Data;
    if (context && event.type === 'WebhookRemoved') await cancelAll(context, webhookId);
    if (context && event.type === 'WebhookRevived') await putAll(context, webhookId);
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const asked = batch.filter(isAsked).map(({ data }) => data as Data);
      if (asked.length > 0)
        await jobs.put(asked.map(({ deliveryId, webhookId }) => ({ id: deliveryId, lane: webhookId, at: 0 })));
      const changes = batch.filter(({ type }) => type === 'WebhookRemoved' || type === 'WebhookRevived');
      for (const change of changes) await react(change);
      return asked.length > 0 || changes.length > 0;
    });
};

/** What the queue lost is put anew: at the start, as soon as it is another, and from time to time; what it has is left as it is. */
export const createDeliveryRepair = ({ readModels, jobs, system }: Pick<Ports, 'readModels' | 'jobs' | 'system'>) => {
  const repair = async (signal: AbortSignal) => {
    let after: DocumentKey | undefined;
    do {
      const found = await readModels.scan(openDeliveries, after);
      await jobs.put(
        found.map(({ document }) => ({ id: document.delivery_id, lane: document.webhook_id, at: document.next_at })),
      );
      after = found.at(-1);
    } while (after && !signal.aborted);
  };
  /** Null while the queue is away. */
  const identity = () =>
    jobs.identity().catch((error: unknown) => {
      if (error instanceof Failure) return null;
      throw error;
    });

  return async (signal: AbortSignal): Promise<void> => {
    let repaired: string | null = null;
    let due = 0;
    while (!signal.aborted) {
      const current = await identity();
      if (current !== null && (current !== repaired || system.now() >= due)) {
        await repair(signal);
        repaired = current;
        due = system.now() + repairEveryMs;
      }
      await system.sleep(lookEveryMs, signal);
    }
  };
};
