import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

/**
 * Header sent to one webhook, or to every webhook if `webhookId` is absent. The value is encrypted: it may be a secret.
 */
type Registered = { headerId: string; webhookId?: string; name: string; sealedValue: string };
type Removed = { headerId: string };

export type WebhookHeaderEvent =
  | { type: 'WebhookHeaderRegistered'; data: Registered }
  | { type: 'WebhookHeaderRemoved'; data: Removed };
type WebhookHeaderCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: Removed }
  /** Removes the header of a removed webhook; does nothing if the header is already removed. */
  | { type: 'RemoveWithWebhook'; data: Removed };
type WebhookHeader = { state: 'none' | 'registered' | 'removed' };

export const webhookHeader: Decider<WebhookHeaderCommand, WebhookHeaderEvent, WebhookHeader> = {
  stream: 'webhookheader',
  initial: { state: 'none' },
  decide: {
    Register: ({ state }, data) => (state === 'none' ? [{ type: 'WebhookHeaderRegistered', data }] : []),
    Remove: ({ state }, data) =>
      state === 'registered'
        ? [{ type: 'WebhookHeaderRemoved', data }]
        : fail('NOT_FOUND', `Webhook header not found: ${data.headerId}`),
    RemoveWithWebhook: ({ state }, data) => (state === 'registered' ? [{ type: 'WebhookHeaderRemoved', data }] : []),
  },
  evolve: {
    WebhookHeaderRegistered: () => ({ state: 'registered' }),
    WebhookHeaderRemoved: () => ({ state: 'removed' }),
  },
};
