import type { Decider } from './decider.js';
import { refuse } from './failure.js';

/** Without a wallet it covers every wallet, also later ones. */
type Registered = {
  webhookId: string;
  walletId?: string;
  endpoint: string;
  confirmation: number;
  sealedSecret: string;
};
type Named = { webhookId: string };

export type WebhookEvent =
  | { type: 'WebhookRegistered'; data: Registered }
  | { type: 'WebhookRemoved'; data: Named }
  /** Nothing is sent until somebody asks for it again. */
  | { type: 'WebhookDisabled'; data: Named & { reason: string } }
  | { type: 'WebhookRevived'; data: Named };
type WebhookCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: Named }
  | { type: 'Disable'; data: Named & { reason: string } }
  | { type: 'Revive'; data: Named }
  | { type: 'RequireRegistered'; data: Named };
type Webhook = { state: 'none' | 'active' | 'disabled' | 'removed' };

const missing = (webhookId: string) => refuse('NOT_FOUND', `there is no webhook ${webhookId}`);
const isThere = ({ state }: Webhook) => state === 'active' || state === 'disabled';

export const webhook: Decider<WebhookCommand, WebhookEvent, Webhook> = {
  stream: 'webhook',
  initial: { state: 'none' },
  decide: {
    // The same registration again is a retried request (its id is derived from the idempotency key).
    Register: ({ state }, data) => (state === 'none' ? [{ type: 'WebhookRegistered', data }] : []),
    Remove: (past, data) => (isThere(past) ? [{ type: 'WebhookRemoved', data }] : missing(data.webhookId)),
    Disable: ({ state }, data) => (state === 'active' ? [{ type: 'WebhookDisabled', data }] : []),
    Revive: (past, data) => {
      if (!isThere(past)) return missing(data.webhookId);
      return past.state === 'disabled' ? [{ type: 'WebhookRevived', data }] : [];
    },
    RequireRegistered: (past, { webhookId }) => (isThere(past) ? [] : missing(webhookId)),
  },
  evolve: {
    WebhookRegistered: () => ({ state: 'active' }),
    WebhookRemoved: () => ({ state: 'removed' }),
    WebhookDisabled: () => ({ state: 'disabled' }),
    WebhookRevived: () => ({ state: 'active' }),
  },
};
