import type { Webhook, WebhookCommand } from '../../../domain/aggregates/webhook.js';
import { fail } from '../../../domain/failure.js';
import type { Context, Done, Handle, Nothing } from '../../commands/handle.js';
import { hasWritten } from '../../commands/own-events.js';
import type { Streams } from '../../ports/event-store.js';
import type { WebhookSigner } from '../../ports/sender.js';
import type { System } from '../../ports/system.js';
import { readWebhook, webhookStep, webhookStream } from '../webhook-stream.js';
import type { EndpointCheck } from './challenge.js';
import { rotationOverlapMs, type WebhookSecrets } from './secrets.js';

/** New settings of a webhook. Settings that are undefined stay as they are. */
type WebhookChanges = {
  readonly endpoint?: string | undefined;
  readonly confirmation?: number | undefined;
  readonly notificationTypes?: readonly string[] | undefined;
  readonly final?: boolean | undefined;
  readonly disabled?: boolean | undefined;
};
export type WebhookEditing = {
  /** Changes settings. A new endpoint passes the same checks as at the registration. */
  update(context: Context, webhookId: string, changes: WebhookChanges): Promise<Done<Nothing>>;
  /** Replaces the secret. Notifications are also signed with the previous secret until the overlap ends. */
  rotateSecret(context: Context, webhookId: string): Promise<Done<Nothing>>;
};
type Settings = NonNullable<Webhook['settings']>;
type Ports = {
  readonly handle: Handle;
  readonly events: Pick<Streams, 'read' | 'head'>;
  readonly signer: WebhookSigner;
  readonly system: System;
};

/**
 * Creates functions that change registered webhooks. The current settings are read from events, because the read
 * models may be behind and lack the current secrets.
 */
export const createWebhookEditing = (
  { handle, events, signer, system }: Ports,
  secrets: WebhookSecrets,
  check: EndpointCheck,
): WebhookEditing => {
  const missing = (webhookId: string) => fail('NOT_FOUND', `Webhook not found: ${webhookId}`);
  const open = async (context: Context, { webhookId, endpoint, sealedSecret, previousSecret }: Settings) => {
    const sealed = { webhook_id: webhookId, endpoint, sealed_secret: sealedSecret };
    const previous_secret = previousSecret && { previous_secret: previousSecret };
    const { secret, previous } = await secrets.openSecrets(context, { ...sealed, ...previous_secret });
    return { secret: secret ?? missing(webhookId), previous };
  };
  /** Checks a new endpoint and binds the secrets to it. */
  const move = async (context: Context, settings: Settings, endpoint: string) => {
    check.requireAllowed(endpoint);
    const { webhookId, sealedSecret: replaces } = settings;
    const { secret, previous } = await open(context, settings);
    await check.requireAnswer(context, webhookId, endpoint, secret);
    const sealedSecret = await secrets.seal(context, webhookId, endpoint, secret);
    const previousSecret = previous && (await secrets.sealPrevious(context, webhookId, endpoint, previous));
    return { endpoint, sealedSecret, ...(previousSecret && { previousSecret }), replaces };
  };

  /**
   * Builds a command from the current settings of the webhook and handles it. Changes nothing if an earlier attempt of
   * the same request has already changed the webhook.
   */
  const edit = async (
    context: Context,
    webhookId: string,
    commandFor: (settings: Settings) => Promise<WebhookCommand>,
  ): Promise<Done<Nothing>> => {
    const stream = webhookStream(context, webhookId);
    if (await hasWritten({ events, system }, context, stream)) return { answer: {}, position: await events.head() };
    const { settings } = await readWebhook(events, context, webhookId);
    const command = await commandFor(settings ?? missing(webhookId));
    const position = await handle(context, [webhookStep(context, command)]);
    return { answer: {}, position };
  };

  return {
    update: (context, webhookId, { endpoint, ...changes }) =>
      edit(context, webhookId, async (settings) => {
        const isMoved = endpoint !== undefined && endpoint !== settings.endpoint;
        const moved = isMoved ? await move(context, settings, endpoint) : undefined;
        return { type: 'Update', data: { webhookId, ...changes, moved } };
      }),
    rotateSecret: (context, webhookId) =>
      edit(context, webhookId, async (settings) => {
        const { endpoint, sealedSecret: replaces } = settings;
        const { secret } = await open(context, settings);
        const previous = { secret, until: system.now() + rotationOverlapMs };
        const previousSecret = await secrets.sealPrevious(context, webhookId, endpoint, previous);
        const sealedSecret = await secrets.seal(context, webhookId, endpoint, signer.newSecret());
        return { type: 'RotateSecret', data: { webhookId, sealedSecret, previousSecret, replaces } };
      }),
  };
};
