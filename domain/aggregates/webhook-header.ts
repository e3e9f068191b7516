import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

/** Header sent with one webhook, or with every webhook without `webhookId`; sealed, since its value may be a secret. */
type Registered = { headerId: string; webhookId?: string; name: string; sealedValue: string };
type Removed = { headerId: string };

export type WebhookHeaderEvent =
  | { type: 'WebhookHeaderRegistered'; data: Registered }
  | { type: 'WebhookHeaderRemoved'; data: Removed };
type WebhookHeaderCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: Removed }
  /** Removes the header of a webhook that was removed, unless the header was removed before. */
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
        : fail('NOT_FOUND', `there is no webhook header ${data.headerId}`),
    RemoveWithWebhook: ({ state }, data) => (state === 'registered' ? [{ type: 'WebhookHeaderRemoved', data }] : []),
  },
  evolve: {
    WebhookHeaderRegistered: () => ({ state: 'registered' }),
    WebhookHeaderRemoved: () => ({ state: 'removed' }),
  },
};
