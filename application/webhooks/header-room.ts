import { fail } from '../../domain/failure.js';
import { headersPerWebhook } from '../../domain/quota.js';
import { webhookHeaders } from '../../projections/webhooks.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import { createKeyedMutex } from '../async/mutex.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Position } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Progress } from '../read-models/progress.js';
import { webhookKey } from './webhook-stream.js';

/** Registration that was stored at `position`, which the read models may not include yet. */
type Registration = { readonly headerId: string; readonly position: Position };

const maxWebhooks = 10_000;

/**
 * Creates a function that stores a header unless its webhook already has the maximum number of headers. Headers of a
 * webhook are stored one after the other and count as soon as they are stored, so that concurrent requests to this
 * process cannot exceed the limit. A retry of a registration passes, because its header is one of the existing headers.
 */
export const createHeaderRoom = (ports: { readonly readModels: ReadModels; readonly progress: Progress }) => {
  const { readModels, progress } = ports;
  const inTurn = createKeyedMutex();
  const recent = createBoundedCache<string, Set<Registration>>(maxWebhooks);
  const registrationsOf = (key: string) => {
    const known = recent.get(key) ?? new Set();
    recent.set(key, known);
    return known;
  };
  /** Returns the ids of the webhook's headers, both shown by the read models and not shown yet. */
  const idsOf = async (context: Context, webhookId: string, registrations: Set<Registration>) => {
    const included = await progress.refresh(context.organizationId);
    for (const one of registrations) if (one.position <= included) registrations.delete(one);
    // Copied before the read, because a header that is stored during the read may be missing from the page.
    const ids = new Set([...registrations].map(({ headerId }) => headerId));
    const query = { index: 'byWebhook', equal: [webhookId], limit: headersPerWebhook };
    const { documents } = await readModels.page(webhookHeaders, scopeFor(context), query);
    for (const { webhook_header_id: id } of documents) ids.add(id);
    return ids;
  };

  return (context: Context, webhookId: string, headerId: string, store: () => Promise<Position>): Promise<Position> => {
    const key = `${context.organizationId} ${webhookKey(context, webhookId)}`;
    // One registration of a webhook at a time: many concurrent ones take many turns of the event loop.
    return inTurn(key, async () => {
      const registrations = registrationsOf(key);
      const ids = await idsOf(context, webhookId, registrations);
      if (ids.size >= headersPerWebhook && !ids.has(headerId))
        fail('QUOTA_EXCEEDED', `A webhook may have at most ${headersPerWebhook} headers. Remove one first.`);
      const position = await store();
      registrations.add({ headerId, position });
      return position;
    });
  };
};
