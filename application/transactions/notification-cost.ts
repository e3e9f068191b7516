import { usage, usageKey } from '../../projections/usage.js';
import type { Context } from '../commands/handle.js';
import type { ReadModels } from '../ports/read-models.js';

const itemBytes = 1024;

/**
 * Charges for the notifications of a state change that the caller causes: one item per webhook and KiB of `data`,
 * because each notification stores the data. Counts all webhooks of the API, including webhooks of other wallets.
 * Without a webhook, one notification is stored for the feed.
 */
export const chargeNotifications = async (readModels: ReadModels, context: Context, data: string): Promise<void> => {
  const { organizationId, variant, touch } = context;
  if (!touch) return;
  const stored = await readModels.get(usage, usageKey(organizationId, variant.tag));
  touch(Math.max(1, stored?.used.webhooks ?? 0) * Math.max(1, Math.ceil(data.length / itemBytes)));
};
