import { type DeliveryCommand, delivery } from '../../domain/aggregates/delivery.js';
import { fail } from '../../domain/failure.js';
import { findVariant, type Variant } from '../../domain/variant.js';
import {
  type AttemptDocument,
  type DeliveryStatus,
  deliveryStatuses,
  type HistoryDocument,
  historyMoment,
  webhookAttempts,
  webhookHistories,
} from '../../projections/deliveries.js';
import type { WebhookDocument } from '../../projections/webhooks.js';
import { mapInSlices } from '../async/slices.js';
import type { LoopTurns } from '../async/turns/loop-turns.js';
import { allSettledOrThrow } from '../async/turns/organization-queue.js';
import { type Context, type Done, type Handle, idFor, type Nothing, scopeFor, step } from '../commands/handle.js';
import { type Streams, streamName } from '../ports/event-store.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { mergedList, takePage } from '../read-models/merged-page.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { ListPage, PageRequest } from '../read-models/paging.js';
import { webhookState, webhookStep } from './webhook-stream.js';

type HistoryFilter = {
  readonly webhookId: string | undefined;
  /** Inclusive bounds of the time at which a delivery was requested, in Unix seconds; unbounded where undefined. */
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  /** Lists only deliveries with this status; deliveries with every status if undefined. */
  readonly status?: DeliveryStatus | undefined;
};

/** Fields of a webhook's document, which callers read once for all notifications to the webhook. */
type Receiver = Pick<WebhookDocument, 'webhook_id' | 'disabled'>;
type Notification = {
  readonly deliveryId: string;
  readonly data: object;
  /** Notification type; the activity type of the API if absent. */
  readonly notificationType?: string;
};

export type Deliveries = {
  /**
   * Requests deliveries to a webhook. Returns false, and requests nothing, if the webhook is disabled. Repeating the
   * request changes nothing.
   */
  request(context: Context, to: Receiver, notifications: readonly Notification[]): Promise<boolean>;
  /** Records a notification that was requested for no webhook, so that the notification feed contains it. */
  record(context: Context, notification: Notification): Promise<void>;
  /** Requests a test notification to a webhook, which must be active. */
  requestTest(context: Context, webhookId: string): Promise<Done<{ webhook_history_id: string }>>;
  list(context: Context, filter: HistoryFilter, page: PageRequest): Promise<ListPage<HistoryDocument>>;
  /** Returns the last attempts of a delivery, oldest first. Rejects when the delivery does not exist. */
  attempts(context: Context, deliveryId: string): Promise<readonly NumberedAttempt[]>;
  /** Sends a delivery again immediately, and reactivates its webhook if it is disabled. */
  resend(context: Context, deliveryId: string): Promise<Done<Nothing>>;
  /**
   * Sends deliveries of a webhook again, and reactivates the webhook if it is disabled. Selects the deliveries with
   * `wanted.status` or, if that is undefined, all deliveries that are not completed.
   */
  resendMany(context: Context, wanted: Resending): Promise<Done<{ count: number }>>;
};

type Resending = HistoryFilter & { readonly webhookId: string };

/** Attempt with its number, counted from 1. */
export type NumberedAttempt = AttemptDocument & { readonly attempt: number };

/** Notification type of SendTestWebhook. A type of its own keeps receivers from booking a test as activity. */
export const testNotification = 'NOTIFICATION_TYPE_TEST';
/** Statuses of deliveries that a resend without a status selects. */
const notAccepted = deliveryStatuses.filter((status) => status !== 'COMPLETED');

const maxResent = 10_000;
const resentAtOnce = 32;

/** Derives a delivery id from the parts. The id includes API and organization, because the queue stores only ids. */
export const deliveryIdFor = (system: System, { organizationId, variant }: Context, parts: readonly string[]) =>
  `whd_${system.sha256(JSON.stringify([organizationId, variant.tag, ...parts])).slice(0, 32)}.${variant.tag}.${organizationId}`;

/** Parses organization and API from a delivery id; null when the text is not a delivery id. */
export const placeOf = (deliveryId: string): { organizationId: string; variant: Variant } | null => {
  const [, tag, organizationId = ''] = deliveryId.split('.');
  const variant = findVariant(tag);
  return variant && organizationId !== '' ? { organizationId, variant } : null;
};

const deliveryKey = ({ variant }: Pick<Context, 'variant'>, deliveryId: string) => `${variant.tag}.${deliveryId}`;
export const deliveryStream = (context: Pick<Context, 'organizationId' | 'variant'>, deliveryId: string) =>
  streamName(context.organizationId, delivery.stream, deliveryKey(context, deliveryId));
export const deliveryStep = (context: Context, deliveryId: string, command: DeliveryCommand) =>
  step(delivery, context.organizationId, deliveryKey(context, deliveryId), command);

const keyOf = ({ moment, webhook_history_id }: HistoryDocument): PageKey => [moment, webhook_history_id];
const isoSecond = (time: number) => historyMoment(new Date(time * 1000).toISOString());

type Reading = { readonly readModels: ReadModels; readonly turns: LoopTurns };

/** Returns the index of the deliveries to a webhook (undefined: all webhooks) with a status (undefined: any). */
const sourceOf = (webhookId: string | undefined, status: DeliveryStatus | undefined) => {
  if (status === undefined)
    return webhookId === undefined ? { index: 'all', equal: [] } : { index: 'byWebhook', equal: [webhookId] };
  return webhookId === undefined
    ? { index: 'byStatus', equal: [status] }
    : { index: 'byWebhookAndStatus', equal: [webhookId, status] };
};

/** Lists the deliveries that match the filter and have one of the statuses (undefined: any), newest first. */
const historiesIn = (
  { readModels, turns }: Reading,
  context: Context,
  { webhookId, startTime, endTime }: HistoryFilter,
  statuses: readonly DeliveryStatus[] | undefined,
  after?: PageKey,
) => {
  const end: PageKey | undefined = endTime === undefined ? undefined : [isoSecond(endTime + 1), ''];
  const start = startTime === undefined ? '' : isoSecond(startTime);
  return mergedList(readModels, {
    collection: webhookHistories,
    inTurn: (read) => turns(context.organizationId, read),
    scope: scopeFor(context),
    caller: context,
    sources: (statuses ?? [undefined]).map((status) => sourceOf(webhookId, status)),
    after: after ?? end,
    keyOf,
    choose: async (documents) => documents.map(({ moment }) => (moment < start ? 'stop' : 'take')),
  });
};

/**
 * Collects the ids of the deliveries to resend. Rejects, before any delivery is resent, when there are more than
 * `maxResent` deliveries.
 */
const idsToResend = async (reading: Reading, context: Context, wanted: Resending) => {
  const statuses = wanted.status === undefined ? notAccepted : [wanted.status];
  const ids: string[] = [];
  for await (const { webhook_history_id } of historiesIn(reading, context, wanted, statuses)) {
    context.touch?.(1);
    ids.push(webhook_history_id);
    if (ids.length > maxResent)
      fail('FAILED_PRECONDITION', `More than ${maxResent} notifications match. Narrow start_time and end_time.`);
  }
  return ids;
};

const revive = (context: Context, webhookId: string) => webhookStep(context, { type: 'Revive', data: { webhookId } });
const resending = (context: Context, deliveryId: string, webhookId: string) =>
  deliveryStep(context, deliveryId, { type: 'Resend', data: { deliveryId, webhookId } });

export const createDeliveries = (ports: {
  events: Pick<Streams, 'read'>;
  handle: Handle;
  readModels: ReadModels;
  turns: LoopTurns;
  pageTokens: PageTokens;
  system: System;
}): Deliveries => {
  const { events, handle, readModels, pageTokens, system } = ports;
  const historyOf = async (context: Context, deliveryId: string) =>
    (await readModels.get(webhookHistories, { scope: scopeFor(context), id: deliveryId })) ??
    fail('NOT_FOUND', `Webhook history not found: ${deliveryId}`);

  return {
    request: async (context, { webhook_id: webhookId, disabled }, notifications) => {
      // Notifications to a disabled webhook are dropped, because they would pile up while the webhook stays disabled.
      // The document may be stale, so the state is read from the webhook's events.
      if (disabled && (await webhookState(events, context, webhookId)) !== 'active') return false;
      const one = ({ deliveryId, data, notificationType = context.variant.notificationType }: Notification) => {
        const command = { type: 'Request', data: { deliveryId, webhookId, notificationType, data } } as const;
        return handle(context, [{ ...deliveryStep(context, deliveryId, command), isNew: true }]);
      };
      await allSettledOrThrow(notifications.map(one));
      return true;
    },
    record: async (context, { deliveryId, data, notificationType = context.variant.notificationType }) => {
      const command = { type: 'Record', data: { deliveryId, notificationType, data } } as const;
      await handle(context, [{ ...deliveryStep(context, deliveryId, command), isNew: true }]);
    },
    requestTest: async (context, webhookId) => {
      const deliveryId = deliveryIdFor(system, context, [webhookId, idFor(context, 'test', system)]);
      const data = { deliveryId, webhookId, notificationType: testNotification, data: { test: true } };
      const position = await handle(context, [
        webhookStep(context, { type: 'RequireActive', data: { webhookId } }),
        deliveryStep(context, deliveryId, { type: 'Request', data }),
      ]);
      return { answer: { webhook_history_id: deliveryId }, position };
    },
    list: async (context, filter, { size, token }) => {
      const list = [scopeFor(context), 'webhook histories', JSON.stringify(filter)];
      const statuses = filter.status && [filter.status];
      const found = historiesIn(ports, context, filter, statuses, pageTokens.read(list, token));
      const { documents, next } = await takePage(found, size, keyOf);
      return { documents, nextPageToken: pageTokens.write(list, next) };
    },
    attempts: async (context, deliveryId) => {
      await historyOf(context, deliveryId);
      const found = await readModels.get(webhookAttempts, { scope: scopeFor(context), id: deliveryId });
      const { count, last } = found ?? { count: 0, last: [] };
      return last.map((one, i) => ({ ...one, attempt: count - last.length + i + 1 }));
    },
    resend: async (context, deliveryId) => {
      const { webhook_id: webhookId } = await historyOf(context, deliveryId);
      const position = await handle(context, [revive(context, webhookId), resending(context, deliveryId, webhookId)]);
      return { answer: {}, position };
    },
    resendMany: async (context, wanted) => {
      const { webhookId } = wanted;
      const ids = await idsToResend(ports, context, wanted);
      context.touch?.(ids.length);
      const revived = await handle(context, [revive(context, webhookId)]);
      const resent = await mapInSlices(ids, resentAtOnce, (id) => handle(context, [resending(context, id, webhookId)]));
      return { answer: { count: ids.length }, position: resent.at(-1) ?? revived };
    },
  };
};
