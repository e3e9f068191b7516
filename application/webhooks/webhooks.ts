import { wallet } from '../../domain/aggregates/wallet.js';
import { webhooks } from '../../projections/webhooks.js';
import { type Context, type Done, type Handle, idFor, type Nothing, scopeFor, step } from '../commands/handle.js';
import { withoutSeed } from '../commands/own-events.js';
import { withSealedSecret } from '../commands/sealed-secret.js';
import type { Position, Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Sender, WebhookSigner } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import type { ListPage, Lists, PageRequest } from '../read-models/paging.js';
import { walletKey } from '../wallets/addresses.js';
import { createEndpointCheck, type EndpointCheck } from './registration/challenge.js';
import { createWebhookEditing, type WebhookEditing } from './registration/editing.js';
import {
  createWebhookSecrets,
  type OpenWebhook,
  type ShownWebhook,
  type WebhookSecrets,
  webhookKeyId,
} from './registration/secrets.js';
import { webhookStep } from './webhook-stream.js';

type Registration = {
  walletId: string | undefined;
  endpoint: string;
  confirmation: number;
  /** Notification types that the webhook subscribes to; the API's activity type if undefined. */
  notificationTypes?: readonly string[] | undefined;
  /** True to notify the webhook once more when a transfer that it was notified of as pending is confirmed. */
  final?: boolean | undefined;
};

export type Webhooks = WebhookEditing & {
  register(context: Context, wanted: Registration): Promise<Done<{ webhook_id: string }>>;
  remove(context: Context, webhookId: string): Promise<Done<Nothing>>;
  /** Returns a webhook with its decrypted secrets; null when the webhook does not exist. */
  find(context: Context, webhookId: string): Promise<OpenWebhook | null>;
  list(context: Context, page: PageRequest): Promise<ListPage<ShownWebhook>>;
};

type Ports = {
  handle: Handle;
  events: Pick<Streams, 'read' | 'head'>;
  readModels: ReadModels;
  lists: Lists;
  vault: Vault;
  sender: Sender;
  signer: WebhookSigner;
  removeHeaders: (context: Context, webhookId: string) => Promise<Position | null>;
  system: System;
  /** True when an endpoint on a new host must pass a challenge. */
  challengeEndpoints: boolean;
};

const createRegister =
  ({ handle, vault, signer, system }: Ports, secrets: WebhookSecrets, check: EndpointCheck): Webhooks['register'] =>
  async (context, { walletId, endpoint, confirmation, notificationTypes, final }) => {
    check.requireAllowed(endpoint);
    const { organizationId } = context;
    const needed =
      walletId === undefined
        ? []
        : [
            step(wallet, organizationId, walletKey(context, walletId), {
              type: 'RequireRegistered',
              data: { walletId },
            }),
          ];
    // The wallet is checked before the vault creates a data key for the secret.
    await handle(context, needed);
    const webhookId = idFor(context, 'whk', system);
    const secret = signer.newSecret();
    await check.requireAnswer(context, webhookId, endpoint, secret);
    const sealedSecret = await secrets.seal(context, webhookId, endpoint, secret);
    const data = { webhookId, walletId, endpoint, confirmation, sealedSecret, notificationTypes, final };
    const register = webhookStep(context, { type: 'Register', data });
    const position = await withSealedSecret(vault, webhookKeyId(webhookId), () =>
      handle(context, [...needed, register]),
    );
    return { answer: { webhook_id: webhookId }, position };
  };

export const createWebhooks = (ports: Ports): Webhooks => {
  const { handle, readModels, lists } = ports;
  const secrets = createWebhookSecrets(ports);
  const check = createEndpointCheck(ports);

  return {
    register: createRegister(ports, secrets, check),
    ...createWebhookEditing(ports, secrets, check),
    remove: async (context, webhookId) => {
      const position = await handle(context, [webhookStep(context, { type: 'Remove', data: { webhookId } })]);
      // Headers that the read models do not show yet are removed by leftover-headers.ts.
      return { answer: {}, position: (await ports.removeHeaders(withoutSeed(context), webhookId)) ?? position };
    },
    find: async (context, webhookId) => {
      const found = await readModels.get(webhooks, { scope: scopeFor(context), id: webhookId });
      return found && secrets.open(context, found);
    },
    list: async (context, page) => {
      const found = await lists(webhooks, scopeFor(context), { index: 'all', equal: [] }, page);
      return { ...found, documents: await secrets.withPublicKeys(context, found.documents) };
    },
  };
};
