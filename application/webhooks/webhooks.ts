import { invalid } from '../../domain/failure.js';
import { wallet } from '../../domain/wallet.js';
import { webhook } from '../../domain/webhook.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import { type Context, type Done, type Handle, idFor, type Nothing, scopeFor, step } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import type { LetterSigner, Sender } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import type { ListPage, Lists, PageRequest } from '../read-models/paging.js';
import { walletKey } from '../wallets/addresses.js';

type Registration = { walletId: string | undefined; endpoint: string; confirmation: number };
/** Its secret is sealed in the stores; here it is in clear. */
export type OpenWebhook = Omit<WebhookDocument, 'sealed_secret'> & { readonly secret: string };

export type Webhooks = {
  register(context: Context, wanted: Registration): Promise<Done<{ webhook_id: string }>>;
  remove(context: Context, webhookId: string): Promise<Done<Nothing>>;
  /** Null when there is none. */
  find(context: Context, webhookId: string): Promise<OpenWebhook | null>;
  list(context: Context, page: PageRequest): Promise<ListPage<WebhookDocument>>;
};

const keyId = (webhookId: string) => `webhook:${webhookId}`;

/** Webhooks of one variant are not there for another: the variant is part of the streams' keys. */
export const webhookKey = ({ variant }: Context, id: string) => `${variant.tag}.${id}`;
export const createWebhooks = (ports: {
  handle: Handle;
  readModels: ReadModels;
  lists: Lists;
  vault: Vault;
  sender: Sender;
  signer: LetterSigner;
  system: System;
}): Webhooks => {
  const { handle, readModels, lists, vault, sender, signer, system } = ports;

  return {
    register: async (context, { walletId, endpoint, confirmation }) => {
      const reason = sender.check(endpoint);
      if (reason !== null) return invalid('/webhook_endpoint', reason);
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
      // Before anything is put into the vault for it.
      await handle(context, needed);
      const webhookId = idFor(context, 'whk', system);
      const sealedSecret = await vault.seal(keyId(webhookId), signer.newSecret(), organizationId);
      const data = { webhookId, ...(walletId !== undefined && { walletId }), endpoint, confirmation, sealedSecret };
      const position = await handle(context, [
        ...needed,
        step(webhook, organizationId, webhookKey(context, webhookId), { type: 'Register', data }),
      ]);
      return { answer: { webhook_id: webhookId }, position };
    },
    remove: async (context, webhookId) => {
      const position = await handle(context, [
        step(webhook, context.organizationId, webhookKey(context, webhookId), { type: 'Remove', data: { webhookId } }),
      ]);
      return { answer: {}, position };
    },
    find: async (context, webhookId) => {
      const found = await readModels.get(webhooks, { scope: scopeFor(context), id: webhookId });
      if (!found) return null;
      const { sealed_secret, ...shown } = found;
      return { ...shown, secret: (await vault.open(keyId(webhookId), sealed_secret, context.organizationId)) ?? '' };
    },
    list: (context, page) => lists(webhooks, scopeFor(context), { index: 'all', equal: [] }, page),
  };
};
