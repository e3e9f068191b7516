import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

/** A webhook without `walletId` covers every wallet, including wallets registered later. */
type Registered = {
  webhookId: string;
  walletId?: string;
  endpoint: string;
  confirmation: number;
  sealedSecret: string;
  /** Notification types that the webhook subscribes to; absent for wallet activity only. */
  notificationTypes?: readonly string[];
};
type Named = { webhookId: string };

/** Notification type of a new seal of the organization's history. Only webhooks that subscribe to it are notified. */
export const historySealed = 'NOTIFICATION_TYPE_HISTORY_SEALED';
type Types = readonly string[] | undefined;
export const subscribesToSeals = (types: Types) => types?.includes(historySealed) ?? false;
export const subscribesToActivity = (types: Types) => types?.some((type) => type !== historySealed) ?? true;

export type WebhookEvent =
  | { type: 'WebhookRegistered'; data: Registered }
  | { type: 'WebhookRemoved'; data: Named }
  /** No delivery is attempted until a resend revives the webhook. */
  | { type: 'WebhookDisabled'; data: Named & { reason: string } }
  | { type: 'WebhookRevived'; data: Named };
type WebhookCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: Named }
  | { type: 'Disable'; data: Named & { reason: string } }
  | { type: 'Revive'; data: Named }
  | { type: 'RequireRegistered'; data: Named };
type Webhook = { state: 'none' | 'active' | 'disabled' | 'removed' };

const missing = (webhookId: string) => fail('NOT_FOUND', `Webhook not found: ${webhookId}`);
const exists = ({ state }: Webhook) => state === 'active' || state === 'disabled';

export const webhook: Decider<WebhookCommand, WebhookEvent, Webhook> = {
  stream: 'webhook',
  initial: { state: 'none' },
  decide: {
    // A repeated registration is a retry, because the webhook id is derived from the idempotency key.
    Register: ({ state }, data) => (state === 'none' ? [{ type: 'WebhookRegistered', data }] : []),
    Remove: (past, data) => (exists(past) ? [{ type: 'WebhookRemoved', data }] : missing(data.webhookId)),
    Disable: ({ state }, data) => (state === 'active' ? [{ type: 'WebhookDisabled', data }] : []),
    Revive: (past, data) => {
      if (!exists(past)) return missing(data.webhookId);
      return past.state === 'disabled' ? [{ type: 'WebhookRevived', data }] : [];
    },
    RequireRegistered: (past, { webhookId }) => (exists(past) ? [] : missing(webhookId)),
  },
  evolve: {
    WebhookRegistered: () => ({ state: 'active' }),
    WebhookRemoved: () => ({ state: 'removed' }),
    WebhookDisabled: () => ({ state: 'disabled' }),
    WebhookRevived: () => ({ state: 'active' }),
  },
};
