import { webhook } from '../../domain/aggregates/webhook.js';
import { webhookHeader } from '../../domain/aggregates/webhook-header.js';
import { invalid } from '../../domain/failure.js';
import { headersPerWebhook } from '../../domain/quota.js';
import { type WebhookHeaderDocument, webhookHeaders } from '../../projections/webhooks.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import { slicesOf } from '../async/slices.js';
import { type Context, type Done, type Handle, idFor, type Nothing, scopeFor, step } from '../commands/handle.js';
import { boundTo, requireBound, withSealedSecret } from '../commands/sealed-secret.js';
import type { Position } from '../ports/event-store.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { Sender } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import type { Listed } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { createHeaderRoom } from './header-room.js';
import { webhookKey } from './webhook-stream.js';

type Owner = Pick<Context, 'organizationId' | 'variant'>;
type Registration = { webhookId: string | undefined; name: string; value: string };
/** Header with its decrypted value. The stores hold only the encrypted value. */
export type ShownHeader = { webhook_header_id: string; webhook_id: string; header_key: string; header_value: string };

export type WebhookHeaders = {
  register(context: Context, wanted: Registration): Promise<Done<{ webhook_header_id: string }>>;
  remove(context: Context, headerId: string): Promise<Done<Nothing>>;
  /** Removes the headers of a removed webhook. Returns the position of the removal; null when there were no headers. */
  removeAllOf(context: Context, webhookId: string): Promise<Position | null>;
  /**
   * Lists the headers of one webhook, or the headers sent to every webhook if `webhookId` is undefined. If there are
   * more than `headersPerWebhook`, the headers are read while the list is iterated.
   */
  list(context: Context, webhookId: string | undefined): Promise<Listed<ShownHeader>>;
  /**
   * Returns the decrypted headers of a webhook's deliveries: first the headers sent to every webhook, then the
   * webhook's own headers.
   */
  inClear(context: Context, webhookId: string): Promise<(readonly [name: string, value: string])[]>;
};

/** JSON pointer of the request field for each part of the header. */
const memberOf = { name: '/header_key', value: '/header_value' } as const;
export const headerKeyId = (headerId: string) => `webhook-header:${headerId}`;
/**
 * Returns the encryption context that binds a header's value to the header's name and its webhook, or to all webhooks
 * when `webhookId` is empty.
 */
const boundContext = ({ organizationId, variant }: Owner, headerId: string, webhookId: string, name: string) =>
  boundTo('webhook-header', [organizationId, variant.tag, headerId, webhookId, name]);
/** Returns the encryption contexts of a value: the present one, and the one of values from earlier versions. */
export const headerContexts = (owner: Owner, { webhook_header_id, webhook_id, name }: WebhookHeaderDocument) => ({
  bound: boundContext(owner, webhook_header_id, webhook_id, name),
  older: owner.organizationId,
});
const cacheKey = (organizationId: string, headerId: string) => `${organizationId} ${headerId}`;
/** Maximum number of cached decrypted values. */
const remembered = 10_000;
/** Number of values that are decrypted before yielding to the event loop. */
const openedWithoutPause = 100;
const removedAtOnce = 50;

const createOpening = (vault: Vault, system: System) => {
  type Opening = { readonly bound: string; readonly value: Promise<string | null> };
  const opened = createBoundedCache<string, Opening>(remembered);
  /** Decrypts a header's value. Concurrent and later callers share the result. */
  const clearValue = async (context: Context, header: WebhookHeaderDocument) => {
    const { webhook_header_id: id, sealed_value: sealed } = header;
    const key = cacheKey(context.organizationId, id);
    const contexts = headerContexts(context, header);
    const known = opened.get(key);
    const value =
      known?.bound === contexts.bound
        ? known.value
        : requireBound(`Webhook header ${id}`, vault, headerKeyId(id), sealed, contexts);
    opened.set(key, { bound: contexts.bound, value });
    const isLost = await value.then(
      (found) => found === null,
      () => true,
    );
    if (isLost) opened.delete(key);
    return (await value) ?? '';
  };
  const openAll = async <T>(
    headers: readonly WebhookHeaderDocument[],
    open: (one: WebhookHeaderDocument) => Promise<T>,
  ) => {
    const found: T[] = [];
    for (const some of slicesOf(headers, openedWithoutPause)) {
      if (found.length > 0) await system.breathe();
      found.push(...(await Promise.all(some.map(open))));
    }
    return found;
  };
  const forget = ({ organizationId }: Context, headerId: string) => opened.delete(cacheKey(organizationId, headerId));
  return { clearValue, openAll, forget };
};

const requireWebhook = (context: Context, webhookId: string) =>
  step(webhook, context.organizationId, webhookKey(context, webhookId), {
    type: 'RequireRegistered',
    data: { webhookId },
  });
const removal = (context: Context, headerId: string, type: 'Remove' | 'RemoveWithWebhook') =>
  step(webhookHeader, context.organizationId, webhookKey(context, headerId), { type, data: { headerId } });

type HeaderPage = { readonly documents: readonly WebhookHeaderDocument[]; readonly next: PageKey | null };
const pagesOf = async function* (
  readModels: ReadModels,
  context: Context,
  webhookId: string,
): AsyncGenerator<HeaderPage, undefined> {
  let after: PageKey | undefined;
  do {
    const query = { index: 'byWebhook', equal: [webhookId], limit: headersPerWebhook, after, oldestFirst: true };
    const page = await readModels.page(webhookHeaders, scopeFor(context), query);
    yield page;
    after = page.next ?? undefined;
  } while (after);
};

/**
 * Returns the headers as an array if they fit on one page; otherwise, as an async iterable that reads each further page
 * when it is needed.
 */
const showPages = async <T>(
  { touch }: Context,
  pages: AsyncGenerator<HeaderPage, undefined>,
  show: (documents: readonly WebhookHeaderDocument[]) => Promise<T[]>,
): Promise<Listed<T>> => {
  const first = (await pages.next()).value ?? { documents: [], next: null };
  if (!first.next) return show(first.documents);
  const showPart = ({ documents }: HeaderPage) => {
    touch?.(documents.length);
    return show(documents);
  };
  const parts = async function* () {
    yield await showPart(first);
    for await (const page of pages) yield await showPart(page);
  };
  return parts();
};

export const createWebhookHeaders = (ports: {
  handle: Handle;
  readModels: ReadModels;
  progress: Progress;
  vault: Vault;
  sender: Sender;
  system: System;
}): WebhookHeaders => {
  const { handle, readModels, vault, sender, system } = ports;

  const find = async (context: Context, webhookId: string) => {
    const found: WebhookHeaderDocument[] = [];
    for await (const { documents } of pagesOf(readModels, context, webhookId)) found.push(...documents);
    return found;
  };
  const { clearValue, forget, openAll } = createOpening(vault, system);
  const withRoom = createHeaderRoom(ports);
  const destroy = async (context: Context, headerId: string) => {
    forget(context, headerId);
    await vault.destroyKey(headerKeyId(headerId));
  };

  return {
    register: async (context, { webhookId, name, value }) => {
      const fault = sender.checkHeader(name, value);
      if (fault) return invalid(memberOf[fault.part], fault.reason);
      const needed = webhookId === undefined ? [] : [requireWebhook(context, webhookId)];
      // The webhook is checked before the vault creates a data key for the value.
      await handle(context, needed);
      const headerId = idFor(context, 'hdr', system);
      const store = async () => {
        const bound = boundContext(context, headerId, webhookId ?? '', name);
        const sealedValue = await vault.seal(headerKeyId(headerId), value, bound);
        const data = { headerId, ...(webhookId !== undefined && { webhookId }), name, sealedValue };
        const register = step(webhookHeader, context.organizationId, webhookKey(context, headerId), {
          type: 'Register',
          data,
        });
        return withSealedSecret(vault, headerKeyId(headerId), () => handle(context, [...needed, register]));
      };
      const position = await withRoom(context, webhookId ?? '', headerId, store);
      return { answer: { webhook_header_id: headerId }, position };
    },
    remove: async (context, headerId) => {
      const position = await handle(context, [removal(context, headerId, 'Remove')]);
      await destroy(context, headerId);
      return { answer: {}, position };
    },
    removeAllOf: async (context, webhookId) => {
      let position: Position | null = null;
      for (const some of slicesOf(await find(context, webhookId), removedAtOnce)) {
        const ids = some.map(({ webhook_header_id }) => webhook_header_id);
        position = await handle(
          context,
          ids.map((id) => removal(context, id, 'RemoveWithWebhook')),
        );
        for (const id of ids) await destroy(context, id);
      }
      return position;
    },
    list: async (context, webhookId) => {
      if (webhookId !== undefined) await handle(context, [requireWebhook(context, webhookId)]);
      const shown = async (document: WebhookHeaderDocument) => ({
        webhook_header_id: document.webhook_header_id,
        webhook_id: document.webhook_id,
        header_key: document.name,
        header_value: await clearValue(context, document),
      });
      return showPages(context, pagesOf(readModels, context, webhookId ?? ''), (found) => openAll(found, shown));
    },
    inClear: async (context, webhookId) => {
      const found = [...(await find(context, '')), ...(await find(context, webhookId))];
      return openAll(found, async (document) => [document.name, await clearValue(context, document)] as const);
    },
  };
};
