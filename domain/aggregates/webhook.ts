import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

/** A webhook without `walletId` covers every wallet, also later ones. */
type Registered = {
  webhookId: string;
  walletId?: string;
  endpoint: string;
  confirmation: number;
  sealedSecret: string;
  /** Types of notices that the webhook asks for; absent for those of wallets alone. */
  notificationTypes?: readonly string[];
};
type Named = { webhookId: string };

/** Notice of a new seal of the organization's history, which only webhooks get that ask for it. */
export const historySealed = 'NOTIFICATION_TYPE_HISTORY_SEALED';
type Types = readonly string[] | undefined;
export const asksForSeals = (types: Types) => types?.includes(historySealed) ?? false;
export const asksForActivity = (types: Types) => types?.some((type) => type !== historySealed) ?? true;

export type WebhookEvent =
  | { type: 'WebhookRegistered'; data: Registered }
  | { type: 'WebhookRemoved'; data: Named }
  /** The service stopped posting to the webhook until a resend revives it. */
  | { type: 'WebhookDisabled'; data: Named & { reason: string } }
  | { type: 'WebhookRevived'; data: Named };
type WebhookCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'Remove'; data: Named }
  | { type: 'Disable'; data: Named & { reason: string } }
  | { type: 'Revive'; data: Named }
  | { type: 'RequireRegistered'; data: Named };
type Webhook = { state: 'none' | 'active' | 'disabled' | 'removed' };

const missing = (webhookId: string) => fail('NOT_FOUND', `there is no webhook ${webhookId}`);
const isThere = ({ state }: Webhook) => state === 'active' || state === 'disabled';

export const webhook: Decider<WebhookCommand, WebhookEvent, Webhook> = {
  stream: 'webhook',
  initial: { state: 'none' },
  decide: {
    // A repeated registration is a retried request, because its id is derived from the idempotency key.
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
