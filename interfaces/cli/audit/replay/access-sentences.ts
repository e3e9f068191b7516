import type { SessionEnd } from '../../../../domain/aggregates/access/session.js';
import type { Names } from './names.js';
import type { Sentences } from './sentence.js';

const limitsText = (limits: object) =>
  Object.entries(limits)
    .map(([window, limit]) => `${limit} a ${window}`)
    .join(', ');
const chainText = (chain: string) => (chain === '' ? 'every chain without its own' : `chain ${chain}`);
const scopeText = (listed: readonly string[] | undefined) => (listed?.length ? ` for ${listed.join(', ')}` : '');

const ofKey = (apiKey: string | undefined, names: Names) =>
  apiKey === undefined ? '' : ` of key ${names.key(apiKey)}`;

const ends: Readonly<Record<SessionEnd, string>> = {
  signed_out: 'signed out',
  idle: '30 minutes without a request',
  expired: '8 hours after it began',
  credential_deleted: 'the credential was deleted',
  replaced: 'too many sessions',
};

type AccessType =
  | 'OrganizationCreated'
  | 'DomainReserved'
  | 'RateLimitSet'
  | 'RateLimitDeleted'
  | 'QuotaSet'
  | 'GatewayKeysSet'
  | 'CredentialIssued'
  | 'CredentialDeleted'
  | 'GatewayTokenCreated'
  | 'GatewayTokenDeleted'
  | 'SessionOpened'
  | 'SessionClosed'
  | 'AuditSealed'
  | 'HistoryMoved'
  | 'LossAccepted'
  | 'LogLossAccepted'
  | 'SealLogged'
  | 'ClockCorrected'
  | 'MasterKeyRotationStarted'
  | 'MasterKeyRotated'
  | 'ReadModelsRebuilt'
  | 'WebhookRegistered'
  | 'WebhookUpdated'
  | 'WebhookRemoved'
  | 'WebhookDisabled'
  | 'WebhookRevived'
  | 'WebhookSecretRotated'
  | 'WebhookHeaderRegistered'
  | 'WebhookHeaderRemoved'
  | 'DeliveryRequested'
  | 'DeliveryAttempted'
  | 'DeliveryCanceled'
  | 'DeliveryResent'
  | 'DeliveryParked'
  | 'NotificationRecorded';

/**
 * Functions that describe an event in a sentence, keyed by event type: events of organizations, credentials, limits,
 * proofs and webhooks.
 */
export const accessSentences: Sentences<AccessType> = {
  OrganizationCreated: ({ name, domain }) => `created organization ${name} with the domain ${domain}`,
  DomainReserved: ({ domain }) => `reserved the domain ${domain}`,
  RateLimitSet: ({ chain, limits }) => `set the rate limit of ${chainText(chain)} to ${limitsText(limits)}`,
  RateLimitDeleted: ({ chain }) => `deleted the rate limit of ${chainText(chain)}`,
  QuotaSet: ({ quota, limit }) => `set the quota ${quota} to ${limit}`,
  GatewayKeysSet: ({ gatewayKeys }) =>
    gatewayKeys === 'tokens' ? 'limited the gateway to tokens' : 'opened the gateway to api_keys and tokens',
  CredentialIssued: ({ apiKey, role }, names) => `issued key ${names.key(apiKey)} with the role ${role}`,
  CredentialDeleted: ({ apiKey }, names) => `deleted key ${names.key(apiKey)}`,
  GatewayTokenCreated: ({ gatewayTokenId, chains }, names) =>
    `created gateway token ${names.token(gatewayTokenId)}${scopeText(chains)}`,
  GatewayTokenDeleted: ({ gatewayTokenId }, names) => `deleted gateway token ${names.token(gatewayTokenId)}`,
  SessionOpened: () => 'signed in to the console',
  SessionClosed: ({ apiKey, reason }, names) =>
    `ended a session of the console${ofKey(apiKey, names)}: ${ends[reason]}`,
  AuditSealed: ({ count }) => `sealed the first ${count} events`,
  HistoryMoved: ({ count, from, to }) => `moved ${count} events from ${from} to ${to}`,
  LossAccepted: ({ found, known, reason }) =>
    `accepted ${found.count} events in place of ${known?.count ?? 'unknown'}, because: ${reason}`,
  LogLossAccepted: ({ volume, reason }) => `began volume ${volume} of the seal log, because: ${reason}`,
  SealLogged: ({ organizationId, count }) => `logged the seal over ${count} events of ${organizationId}`,
  ClockCorrected: ({ from, to }) =>
    `corrected the clock from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`,
  MasterKeyRotationStarted: () => 'began to rotate the master key',
  MasterKeyRotated: ({ keys }) => `rotated the master key and encrypted ${keys} keys again`,
  ReadModelsRebuilt: ({ names: rebuilt }) => `rebuilt the read models ${rebuilt.join(', ')}`,
  WebhookRegistered: ({ endpoint, walletId }, names) =>
    `registered webhook ${endpoint} for ${walletId ? `wallet ${names.wallet(walletId)}` : 'every wallet'}`,
  WebhookUpdated: ({ webhookId }, names) => `changed webhook ${names.webhook(webhookId)}`,
  WebhookRemoved: ({ webhookId }, names) => `removed webhook ${names.webhook(webhookId)}`,
  WebhookDisabled: ({ webhookId, reason }, names) => `disabled webhook ${names.webhook(webhookId)}: ${reason}`,
  WebhookRevived: ({ webhookId }, names) => `enabled webhook ${names.webhook(webhookId)} again`,
  WebhookSecretRotated: ({ webhookId }, names) => `rotated the secret of webhook ${names.webhook(webhookId)}`,
  WebhookHeaderRegistered: ({ name, webhookId }, names) =>
    `registered header ${name} for ${webhookId ? `webhook ${names.webhook(webhookId)}` : 'every webhook'}`,
  WebhookHeaderRemoved: ({ headerId }) => `removed header ${headerId}`,
  DeliveryRequested: ({ notificationType, webhookId }, names) =>
    `queued ${notificationType} for webhook ${names.webhook(webhookId)}`,
  DeliveryAttempted: ({ webhookId, status, failure, outcome }, names) =>
    `sent a notification to webhook ${names.webhook(webhookId)}: ${status ?? failure}, ${outcome}`,
  DeliveryCanceled: ({ webhookId }, names) => `canceled a notification to webhook ${names.webhook(webhookId)}`,
  DeliveryResent: ({ webhookId }, names) => `queued a notification to webhook ${names.webhook(webhookId)} again`,
  DeliveryParked: ({ webhookId }, names) => `held back a notification to webhook ${names.webhook(webhookId)}`,
  NotificationRecorded: ({ notificationType }) => `recorded ${notificationType}`,
};
