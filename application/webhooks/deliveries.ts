import { type DeliveryCommand, delivery } from '../../domain/delivery.js';
import { refuse } from '../../domain/failure.js';
import { findVariant, type Variant } from '../../domain/variant.js';
import { webhook } from '../../domain/webhook.js';
import { type HistoryDocument, historyMoment, webhookHistories } from '../../projections/deliveries.js';
import { type Context, type Done, type Handle, type Nothing, scopeFor, step } from '../commands/handle.js';
import { type Position, streamName } from '../ports/event-store.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { mergedList, takePage } from '../read-models/merged-page.js';
import type { ListPage, PageRequest, PageTokens } from '../read-models/paging.js';
import { webhookKey } from './webhooks.js';

type HistoryFilter = {
  readonly webhookId: string | undefined;
  /** Unix seconds, inclusive. */
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
};

type Notice = { readonly deliveryId: string; readonly webhookId: string; readonly data: object };

export type Deliveries = {
  /** Asked for twice it is asked for once. */
  request(context: Context, notice: Notice): Promise<Position>;
  list(context: Context, filter: HistoryFilter, page: PageRequest): Promise<ListPage<HistoryDocument>>;
  /** Sends it again, now; revives its webhook. */
  resend(context: Context, deliveryId: string): Promise<Done<Nothing>>;
};

/** Says whose it is, since all that a queue keeps is the id. The same parts make the same id. */
export const deliveryIdFor = (system: System, { organizationId, variant }: Context, parts: readonly string[]) =>
  `whd_${system.sha256(JSON.stringify([organizationId, variant.tag, ...parts])).slice(0, 32)}.${variant.tag}.${organizationId}`;

/** Null when it is no id of a delivery. */
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

export const createDeliveries = (ports: {
  handle: Handle;
  readModels: ReadModels;
  pageTokens: PageTokens;
}): Deliveries => {
  const { handle, readModels, pageTokens } = ports;

  return {
    request: async (context, { deliveryId, webhookId, data }) => {
      const { notificationType } = context.variant;
      const command = { type: 'Request', data: { deliveryId, webhookId, notificationType, data } } as const;
      return handle(context, [{ ...deliveryStep(context, deliveryId, command), isNew: true }]);
    },
    list: async (context, filter, { size, token }) => {
      const { webhookId, startTime, endTime } = filter;
      const list = [scopeFor(context), 'webhook histories', JSON.stringify(filter)];
      const end: PageKey | undefined = endTime === undefined ? undefined : [isoSecond(endTime + 1), ''];
      const start = startTime === undefined ? '' : isoSecond(startTime);
      const found = mergedList(readModels, {
        collection: webhookHistories,
        scope: scopeFor(context),
        sources: [webhookId === undefined ? { index: 'all', equal: [] } : { index: 'byWebhook', equal: [webhookId] }],
        after: pageTokens.read(list, token) ?? end,
        keyOf,
        choose: async (documents) => documents.map(({ moment }) => (moment < start ? 'stop' : 'take')),
      });
      const { documents, next } = await takePage(found, size, keyOf);
      return { documents, nextPageToken: pageTokens.write(list, next) };
    },
    resend: async (context, deliveryId) => {
      const found = await readModels.get(webhookHistories, { scope: scopeFor(context), id: deliveryId });
      if (!found) return refuse('NOT_FOUND', 'there is no such webhook history');
      const { webhook_id: webhookId } = found;
      const position = await handle(context, [
        step(webhook, context.organizationId, webhookKey(context, webhookId), { type: 'Revive', data: { webhookId } }),
        deliveryStep(context, deliveryId, { type: 'Resend', data: { deliveryId, webhookId } }),
      ]);
      return { answer: {}, position };
    },
  };
};
