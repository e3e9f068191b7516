import { type WebhookCommand, webhook } from '../../domain/aggregates/webhook.js';
import { type Context, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import { type Streams, streamName } from '../ports/event-store.js';

/**
 * Returns the stream key of a webhook. The key includes the API, so that one API cannot see the webhooks of another
 * API.
 */
export const webhookKey = ({ variant }: Context, id: string) => `${variant.tag}.${id}`;
export const webhookStream = (context: Context, id: string) =>
  streamName(context.organizationId, webhook.stream, webhookKey(context, id));
export const webhookStep = (context: Context, command: WebhookCommand) =>
  step(webhook, context.organizationId, webhookKey(context, command.data.webhookId), command);
/** Reads a webhook from its events, because the read models may be behind. */
export const readWebhook = (events: Pick<Streams, 'read'>, context: Context, id: string) =>
  readAggregate(events, webhook, context.organizationId, webhookKey(context, id));
export const webhookState = async (events: Pick<Streams, 'read'>, context: Context, id: string) =>
  (await readWebhook(events, context, id)).state;
