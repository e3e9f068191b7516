import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

export type OfWebhook = {
  /** Id of the webhook. */
  readonly webhookId: string;
};
type Registered = OfWebhook & {
  /** Id of the wallet that the webhook covers. If absent, it covers every wallet, including those registered later. */
  walletId?: string;
  /** URL that notifications are posted to. */
  endpoint: string;
  /** Number of confirmations at which the webhook is notified. */
  confirmation: number;
  /** Secret that signs the notifications, encrypted. */
  sealedSecret: string;
  /** Notification types that the webhook subscribes to; absent for wallet activity only. */
  notificationTypes?: readonly string[];
};
type Disabled = OfWebhook & {
  /** Reason why notifications are no longer posted. */
  reason: string;
};

/** Notification type of a new seal of the organization's history. Only webhooks that subscribe to it are notified. */
export const historySealed = 'NOTIFICATION_TYPE_HISTORY_SEALED';
type Types = readonly string[] | undefined;
export const subscribesToSeals = (types: Types) => types?.includes(historySealed) ?? false;
export const subscribesToActivity = (types: Types) => types?.some((type) => type !== historySealed) ?? true;

export type WebhookEvent =
  | { type: 'WebhookRegistered'; data: Registered }
  | { type: 'WebhookRemoved'; data: OfWebhook }
  /** No delivery is attempted until a resend revives the webhook. */
  | { type: 'WebhookDisabled'; data: Disabled }
  | { type: 'WebhookRevived'; data: OfWebhook };
type WebhookCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: OfWebhook }
  | { type: 'Disable'; data: Disabled }
  | { type: 'Revive'; data: OfWebhook }
  | { type: 'RequireRegistered'; data: OfWebhook };
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
