import { type DeliveryCommand, delivery } from '../../domain/aggregates/delivery.js';
import { webhook } from '../../domain/aggregates/webhook.js';
import { fail } from '../../domain/failure.js';
import { findVariant, type Variant } from '../../domain/variant.js';
import {
  type DeliveryStatus,
  type HistoryDocument,
  historyMoment,
  webhookHistories,
} from '../../projections/deliveries.js';
import type { WebhookDocument } from '../../projections/webhooks.js';
import type { LoopTurns } from '../async/loop-turns.js';
import { allSettledOrThrow } from '../async/organization-queue.js';
import { mapInSlices } from '../async/slices.js';
import { type Context, type Done, type Handle, type Nothing, scopeFor, step } from '../commands/handle.js';
import { type Streams, streamName } from '../ports/event-store.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { mergedList, takePage } from '../read-models/merged-page.js';
import type { ListPage, PageRequest, PageTokens } from '../read-models/paging.js';
import { webhookKey, webhookState } from './webhooks.js';

type HistoryFilter = {
  readonly webhookId: string | undefined;
  /** Bounds in Unix seconds, inclusive. */
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
};

/** Fields of a webhook's document, which callers read once for all notifications to the webhook. */
type Receiver = Pick<WebhookDocument, 'webhook_id' | 'disabled'>;
type Notification = {
  readonly deliveryId: string;
  readonly data: object;
  /** Notification type, if it is not the activity type of the API. */
  readonly notificationType?: string;
};

export type Deliveries = {
  /** Requests deliveries to a webhook, unless it is disabled. Repeating the request changes nothing. */
  request(context: Context, to: Receiver, notifications: readonly Notification[]): Promise<void>;
  list(context: Context, filter: HistoryFilter, page: PageRequest): Promise<ListPage<HistoryDocument>>;
  /** Sends a delivery again immediately, and reactivates its webhook if it is disabled. */
  resend(context: Context, deliveryId: string): Promise<Done<Nothing>>;
  /**
   * Sends deliveries of a webhook again, and reactivates it if it is disabled. Selects deliveries with the given status,
   * or without one all that are not completed.
   */
  resendMany(context: Context, wanted: Resending): Promise<Done<{ count: number }>>;
};

type Resending = HistoryFilter & { readonly webhookId: string; readonly status: DeliveryStatus | undefined };

const maxResent = 10_000;
const resentAtOnce = 32;

/** Derives a delivery id from the parts. The id includes the owner, because the queue stores only ids. */
export const deliveryIdFor = (system: System, { organizationId, variant }: Context, parts: readonly string[]) =>
  `whd_${system.sha256(JSON.stringify([organizationId, variant.tag, ...parts])).slice(0, 32)}.${variant.tag}.${organizationId}`;

/** Parses the owner from a delivery id; null when the text is not one. */
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

/** Lists the deliveries that match the filter, newest first. */
const historiesIn = ({ readModels, turns }: Reading, context: Context, filter: HistoryFilter, after?: PageKey) => {
  const { webhookId, startTime, endTime } = filter;
  const end: PageKey | undefined = endTime === undefined ? undefined : [isoSecond(endTime + 1), ''];
  const start = startTime === undefined ? '' : isoSecond(startTime);
  return mergedList(readModels, {
    collection: webhookHistories,
    inTurn: (read) => turns(context.organizationId, read),
    scope: scopeFor(context),
    caller: context,
    sources: [webhookId === undefined ? { index: 'all', equal: [] } : { index: 'byWebhook', equal: [webhookId] }],
    after: after ?? end,
    keyOf,
    choose: async (documents) => documents.map(({ moment }) => (moment < start ? 'stop' : 'take')),
  });
};

/** Collects the ids to resend. Rejects before anything is sent when there are more than `maxResent`. */
const idsToResend = async (reading: Reading, context: Context, { status, ...filter }: Resending) => {
  const isWanted = (one: HistoryDocument) =>
    status === undefined ? one.status !== 'COMPLETED' : one.status === status;
  const ids: string[] = [];
  for await (const one of historiesIn(reading, context, filter)) {
    context.touch?.(1);
    if (isWanted(one)) ids.push(one.webhook_history_id);
    if (ids.length > maxResent)
      fail('FAILED_PRECONDITION', `More than ${maxResent} notifications match. Narrow start_time and end_time.`);
  }
  return ids;
};

const revive = (context: Context, webhookId: string) =>
  step(webhook, context.organizationId, webhookKey(context, webhookId), { type: 'Revive', data: { webhookId } });
const resending = (context: Context, deliveryId: string, webhookId: string) =>
  deliveryStep(context, deliveryId, { type: 'Resend', data: { deliveryId, webhookId } });

export const createDeliveries = (ports: {
  events: Pick<Streams, 'read'>;
  handle: Handle;
  readModels: ReadModels;
  turns: LoopTurns;
  pageTokens: PageTokens;
}): Deliveries => {
  const { events, handle, readModels, pageTokens } = ports;

  return {
    request: async (context, { webhook_id: webhookId, disabled }, notifications) => {
      // Notifications to a disabled webhook are dropped, or they would pile up. The document may be stale, so events decide.
      if (disabled && (await webhookState(events, context, webhookId)) !== 'active') return;
      const one = ({ deliveryId, data, notificationType = context.variant.notificationType }: Notification) => {
        const command = { type: 'Request', data: { deliveryId, webhookId, notificationType, data } } as const;
        return handle(context, [{ ...deliveryStep(context, deliveryId, command), isNew: true }]);
      };
      await allSettledOrThrow(notifications.map(one));
    },
    list: async (context, filter, { size, token }) => {
      const list = [scopeFor(context), 'webhook histories', JSON.stringify(filter)];
      const found = historiesIn(ports, context, filter, pageTokens.read(list, token));
      const { documents, next } = await takePage(found, size, keyOf);
      return { documents, nextPageToken: pageTokens.write(list, next) };
    },
    resend: async (context, deliveryId) => {
      const found = await readModels.get(webhookHistories, { scope: scopeFor(context), id: deliveryId });
      if (!found) return fail('NOT_FOUND', `Webhook history not found: ${deliveryId}`);
      const { webhook_id: webhookId } = found;
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
