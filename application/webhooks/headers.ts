import { invalid } from '../../domain/failure.js';
import { webhook } from '../../domain/webhook.js';
import { webhookHeader } from '../../domain/webhook-header.js';
import { type WebhookHeaderDocument, webhookHeaders } from '../../projections/webhooks.js';
import { type Context, type Done, type Handle, idFor, type Nothing, scopeFor, step } from '../commands/handle.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { Sender } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import { webhookKey } from './webhooks.js';

type Registration = { webhookId: string | undefined; name: string; value: string };
/** Its value is sealed in the stores; here it is in clear. */
export type ShownHeader = { webhook_header_id: string; webhook_id: string; header_key: string; header_value: string };

export type WebhookHeaders = {
  register(context: Context, wanted: Registration): Promise<Done<{ webhook_header_id: string }>>;
  remove(context: Context, headerId: string): Promise<Done<Nothing>>;
  /** Those of one webhook, or without one those that go with every webhook. */
  list(context: Context, webhookId: string | undefined): Promise<ShownHeader[]>;
  /** What goes with a webhook's deliveries: those of every webhook and its own, which come last. */
  inClear(context: Context, webhookId: string): Promise<(readonly [name: string, value: string])[]>;
};

const keyId = (headerId: string) => `webhook-header:${headerId}`;
const pageSize = 1000;

export const createWebhookHeaders = (ports: {
  handle: Handle;
  readModels: ReadModels;
  vault: Vault;
  sender: Sender;
  system: System;
}): WebhookHeaders => {
  const { handle, readModels, vault, sender, system } = ports;

  const requireWebhook = (context: Context, webhookId: string) =>
    step(webhook, context.organizationId, webhookKey(context, webhookId), {
      type: 'RequireRegistered',
      data: { webhookId },
    });
  const find = async (context: Context, webhookId: string) => {
    const found: WebhookHeaderDocument[] = [];
    let after: PageKey | undefined;
    do {
      const query = { index: 'byWebhook', equal: [webhookId], limit: pageSize, after, oldestFirst: true };
      const page = await readModels.page(webhookHeaders, scopeFor(context), query);
      found.push(...page.documents);
      after = page.next ?? undefined;
    } while (after);
    return found;
  };
  const clearValue = async ({ organizationId }: Context, { webhook_header_id, sealed_value }: WebhookHeaderDocument) =>
    (await vault.open(keyId(webhook_header_id), sealed_value, organizationId)) ?? '';

  return {
    register: async (context, { webhookId, name, value }) => {
      const reason = sender.checkHeader(name, value);
      if (reason !== null) return invalid('/header_key', reason);
      const needed = webhookId === undefined ? [] : [requireWebhook(context, webhookId)];
      // Before anything is put into the vault for it.
      await handle(context, needed);
      const headerId = idFor(context, 'hdr', system);
      const sealedValue = await vault.seal(keyId(headerId), value, context.organizationId);
      const data = { headerId, ...(webhookId !== undefined && { webhookId }), name, sealedValue };
      const position = await handle(context, [
        ...needed,
        step(webhookHeader, context.organizationId, webhookKey(context, headerId), { type: 'Register', data }),
      ]);
      return { answer: { webhook_header_id: headerId }, position };
    },
    remove: async (context, headerId) => {
      const position = await handle(context, [
        step(webhookHeader, context.organizationId, webhookKey(context, headerId), {
          type: 'Remove',
          data: { headerId },
        }),
      ]);
      await vault.destroyKey(keyId(headerId));
      return { answer: {}, position };
    },
    list: async (context, webhookId) => {
      if (webhookId !== undefined) await handle(context, [requireWebhook(context, webhookId)]);
      const found = await find(context, webhookId ?? '');
      return Promise.all(
        found.map(async (document) => ({
          webhook_header_id: document.webhook_header_id,
          webhook_id: document.webhook_id,
          header_key: document.name,
          header_value: await clearValue(context, document),
        })),
      );
    },
    inClear: async (context, webhookId) => {
      const found = [...(await find(context, '')), ...(await find(context, webhookId))];
      return Promise.all(found.map(async (document) => [document.name, await clearValue(context, document)] as const));
    },
  };
};
