import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

type Removed = {
  /** Id of the webhook header. */
  headerId: string;
};
type Registered = Removed & {
  /** Id of the webhook whose notifications have the header; absent if all notifications have it. */
  webhookId?: string;
  /** Name of the header. */
  name: string;
  /** Value of the header, encrypted because it may be a secret. */
  sealedValue: string;
};

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
