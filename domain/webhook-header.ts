import type { Decider } from './decider.js';
import { refuse } from './failure.js';

/** Without a webhook it goes with every webhook. The value may be a secret, so it is stored sealed. */
type Registered = { headerId: string; webhookId?: string; name: string; sealedValue: string };
type Removed = { headerId: string };

export type WebhookHeaderEvent =
  | { type: 'WebhookHeaderRegistered'; data: Registered }
  | { type: 'WebhookHeaderRemoved'; data: Removed };
type WebhookHeaderCommand = { type: 'Register'; data: Registered } | { type: 'Remove'; data: Removed };
type WebhookHeader = { state: 'none' | 'registered' | 'removed' };

export const webhookHeader: Decider<WebhookHeaderCommand, WebhookHeaderEvent, WebhookHeader> = {
  stream: 'webhookheader',
  initial: { state: 'none' },
  decide: {
    Register: ({ state }, data) => (state === 'none' ? [{ type: 'WebhookHeaderRegistered', data }] : []),
    Remove: ({ state }, data) =>
      state === 'registered'
        ? [{ type: 'WebhookHeaderRemoved', data }]
        : refuse('NOT_FOUND', `there is no webhook header ${data.headerId}`),
  },
  evolve: {
    WebhookHeaderRegistered: () => ({ state: 'registered' }),
    WebhookHeaderRemoved: () => ({ state: 'removed' }),
  },
};
