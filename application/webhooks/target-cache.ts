import { webhookEditions } from '../../projections/webhooks.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';
import type { WebhookHeaders } from './headers.js';
import type { OpenWebhook } from './registration/secrets.js';
import type { Webhooks } from './webhooks.js';

/** Webhook with its decrypted secret and headers, ready for deliveries. */
export type Target = OpenWebhook & { readonly headers: Awaited<ReturnType<WebhookHeaders['inClear']>> };

export type Targets = {
  /** Returns the target according to the current read models; null when the webhook does not exist. */
  find(context: Context, webhookId: string): Promise<Target | null>;
};

const remembered = 10_000;

/**
 * Creates a cache of decrypted webhooks and headers. Each lookup reads the owner's edition, which is the position of
 * the last change to any of its webhooks or headers. A cached webhook is used only if its edition is the same.
 */
export const createWebhookTargetCache = (ports: {
  readModels: ReadModels;
  webhooks: Webhooks;
  headers: WebhookHeaders;
}): Targets => {
  const { readModels, webhooks, headers } = ports;
  const known = createBoundedCache<string, { readonly edition: number; readonly target: Target }>(remembered);

  const load = async (context: Context, webhookId: string): Promise<Target | null> => {
    const found = await webhooks.find(context, webhookId);
    return found && { ...found, headers: await headers.inClear(context, webhookId) };
  };

  return {
    find: async (context, webhookId) => {
      const scope = scopeFor(context);
      const key = `${scope}/${webhookId}`;
      // The edition is read first, so that the target is at least as new as the edition.
      const edition = (await readModels.get(webhookEditions, { scope, id: 'current' }))?.position;
      const before = known.get(key);
      if (before && before.edition === edition) return before.target;
      const target = await load(context, webhookId);
      if (target && edition !== undefined) known.set(key, { edition, target });
      else known.delete(key);
      return target;
    },
  };
};
