import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type { Variant } from '../variant.js';

export type OfWebhook = {
  /** Id of the webhook. */
  readonly webhookId: string;
};
type Registered = OfWebhook & {
  /**
   * Id of the wallet that the webhook covers. If absent, the webhook covers every wallet, including wallets registered
   * later.
   */
  walletId?: string;
  /** URL that notifications are posted to. */
  endpoint: string;
  /** Number of confirmations at which the webhook is notified. */
  confirmation: number;
  /** Secret that signs the notifications, encrypted. */
  sealedSecret: string;
  /** Notification types that the webhook subscribes to; absent for wallet activity only. */
  notificationTypes?: readonly string[];
  /**
   * Present if the webhook, after a notification of a pending transfer, is notified again when the transfer is
   * confirmed.
   */
  final?: true;
};
type PreviousSecret = {
  /** Secret before the last rotation, encrypted. */
  sealed: string;
  /** Unix time in milliseconds until which notifications are also signed with the previous secret. */
  until: number;
};
type Updated = Registered & {
  /**
   * Secret before the last rotation. Absent without a rotation, or if the previous secret had expired when the endpoint
   * was last changed.
   */
  previousSecret?: PreviousSecret;
};
type SecretRotated = OfWebhook & {
  /** New secret that signs the notifications, encrypted. */
  sealedSecret: string;
  /** Secret that the new secret replaces. */
  previousSecret: PreviousSecret;
};
/** Settings as given in a command: optional settings may be undefined rather than absent. */
type Given = Pick<Registered, 'webhookId' | 'endpoint' | 'confirmation' | 'sealedSecret'> & {
  walletId?: string | undefined;
  notificationTypes?: readonly string[] | undefined;
  final?: boolean | undefined;
  previousSecret?: PreviousSecret | undefined;
};
/**
 * New secret, or the same secret encrypted again. `replaces` is the encrypted secret that it replaces: the command is
 * rejected if another request has changed the stored secret meanwhile.
 */
type Resealed = { sealedSecret: string; replaces: string };
type Changes = {
  confirmation?: number | undefined;
  notificationTypes?: readonly string[] | undefined;
  final?: boolean | undefined;
  /** New endpoint, with the secrets encrypted again and bound to the new endpoint. */
  moved?: (Resealed & { endpoint: string; previousSecret?: PreviousSecret | undefined }) | undefined;
};
type Disabled = OfWebhook & {
  /** Reason why notifications are no longer posted. */
  reason: string;
};

/**
 * Notification type for a new seal of the organization's history. Only webhooks that subscribe to the type are
 * notified.
 */
export const historySealed = 'NOTIFICATION_TYPE_HISTORY_SEALED';
const driftSuffix = 'BALANCE_DRIFTED';
/** Returns the API's notification type for a difference between a stored balance and the chain. */
export const balanceDrifted = ({ notificationType }: Pick<Variant, 'notificationType'>) =>
  notificationType.replace(/TRANSACTION_UPDATED$/, driftSuffix);
type Types = readonly string[] | undefined;
export const subscribesToSeals = (types: Types) => types?.includes(historySealed) ?? false;
export const subscribesToActivity = (types: Types) =>
  types?.some((type) => type !== historySealed && !type.endsWith(driftSuffix)) ?? true;

export type WebhookEvent =
  | { type: 'WebhookRegistered'; data: Registered }
  | { type: 'WebhookRemoved'; data: OfWebhook }
  /** No delivery is attempted until a resend or UpdateWebhook revives the webhook. */
  | { type: 'WebhookDisabled'; data: Disabled }
  | { type: 'WebhookRevived'; data: OfWebhook }
  /** Contains all settings of the webhook, changed or not. */
  | { type: 'WebhookUpdated'; data: Updated }
  | { type: 'WebhookSecretRotated'; data: SecretRotated };
export type WebhookCommand =
  | { type: 'Register'; data: Given }
  | { type: 'Remove'; data: OfWebhook }
  | { type: 'Disable'; data: Disabled }
  | { type: 'Revive'; data: OfWebhook }
  | { type: 'Update'; data: OfWebhook & Changes & { disabled?: boolean | undefined } }
  | { type: 'RotateSecret'; data: SecretRotated & Resealed }
  | { type: 'RequireRegistered'; data: OfWebhook }
  | { type: 'RequireActive'; data: OfWebhook };
export type Webhook = {
  readonly state: 'none' | 'active' | 'disabled' | 'removed';
  /** Settings of the webhook; null before the registration and after the removal. */
  readonly settings: Updated | null;
};

const disabledByCaller = 'the organization disabled it';

const missing = (webhookId: string) => fail('NOT_FOUND', `Webhook not found: ${webhookId}`);
const exists = ({ state }: Webhook) => state === 'active' || state === 'disabled';

/**
 * Returns the settings without undefined members. The members are always in the same order, so that settings can be
 * compared as JSON text.
 */
const settingsOf = (given: Given): Updated => {
  const { webhookId, walletId, endpoint, confirmation, sealedSecret, notificationTypes, final, previousSecret } = given;
  return {
    webhookId,
    ...(walletId !== undefined && { walletId }),
    endpoint,
    confirmation,
    sealedSecret,
    ...(notificationTypes && { notificationTypes }),
    ...(final && { final }),
    ...(previousSecret && { previousSecret }),
  };
};
const settingsAfter = (past: Updated, { moved = { ...past, replaces: '' }, ...changes }: Changes): Updated => {
  const { endpoint, sealedSecret, previousSecret } = moved;
  const { confirmation = past.confirmation, notificationTypes = past.notificationTypes, final = past.final } = changes;
  return settingsOf({ ...past, endpoint, confirmation, sealedSecret, notificationTypes, final, previousSecret });
};
const isSame = (one: Updated, other: Updated) => JSON.stringify(one) === JSON.stringify(other);
const requireCurrent = ({ sealedSecret }: Updated, resealed: Resealed | undefined) => {
  if (resealed && resealed.replaces !== sealedSecret)
    fail('CONFLICT', 'The resource was modified concurrently. Retry the request.');
};
const switched = (state: Webhook['state'], webhookId: string, disabled: boolean | undefined): WebhookEvent[] => {
  if (disabled === true && state === 'active')
    return [{ type: 'WebhookDisabled', data: { webhookId, reason: disabledByCaller } }];
  return disabled === false && state === 'disabled' ? [{ type: 'WebhookRevived', data: { webhookId } }] : [];
};

export const webhook: Decider<WebhookCommand, WebhookEvent, Webhook> = {
  stream: 'webhook',
  initial: { state: 'none', settings: null },
  decide: {
    // A repeated registration is a retry, because the webhook id is derived from the idempotency key.
    Register: ({ state }, data) => (state === 'none' ? [{ type: 'WebhookRegistered', data: settingsOf(data) }] : []),
    Remove: (past, data) => (exists(past) ? [{ type: 'WebhookRemoved', data }] : missing(data.webhookId)),
    Disable: ({ state }, data) => (state === 'active' ? [{ type: 'WebhookDisabled', data }] : []),
    Revive: (past, data) => {
      if (!exists(past)) return missing(data.webhookId);
      return past.state === 'disabled' ? [{ type: 'WebhookRevived', data }] : [];
    },
    Update: ({ state, settings }, { webhookId, disabled, ...changes }) => {
      if (!settings) return missing(webhookId);
      requireCurrent(settings, changes.moved);
      const data = settingsAfter(settings, changes);
      const isChanged = !isSame(data, settingsAfter(settings, {}));
      return [
        ...(isChanged ? [{ type: 'WebhookUpdated' as const, data }] : []),
        ...switched(state, webhookId, disabled),
      ];
    },
    RotateSecret: ({ settings }, { replaces, ...data }) => {
      if (!settings) return missing(data.webhookId);
      requireCurrent(settings, { ...data, replaces });
      return [{ type: 'WebhookSecretRotated', data }];
    },
    RequireRegistered: (past, { webhookId }) => (exists(past) ? [] : missing(webhookId)),
    RequireActive: (past, { webhookId }) => {
      if (!exists(past)) return missing(webhookId);
      if (past.state === 'active') return [];
      return fail(
        'FAILED_PRECONDITION',
        `Webhook is disabled: ${webhookId}. Enable it with UpdateWebhook {"disabled": false}.`,
      );
    },
  },
  evolve: {
    WebhookRegistered: (_, settings) => ({ state: 'active', settings }),
    WebhookRemoved: () => ({ state: 'removed', settings: null }),
    WebhookDisabled: (past) => ({ ...past, state: 'disabled' }),
    WebhookRevived: (past) => ({ ...past, state: 'active' }),
    WebhookUpdated: (past, settings) => ({ ...past, settings }),
    WebhookSecretRotated: (past, { sealedSecret, previousSecret }) => ({
      ...past,
      settings: past.settings && { ...past.settings, sealedSecret, previousSecret },
    }),
  },
};
