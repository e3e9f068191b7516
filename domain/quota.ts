import type { Message } from './decider.js';

/** Default limit of each quota. An operator changes a limit for one organization with SetQuota. */
export const defaultQuotas = {
  wallets: 1_000_000,
  addresses: 10_000_000,
  webhooks: 1000,
  webhook_headers: 10_000,
  contracts: 10_000,
  /** Imported tokens (ImportAsset), counted per address. */
  imports: 10_000,
  credentials: 1000,
  gateway_tokens: 1000,
  /** Managed transactions that are neither mined nor canceled. */
  open_transactions: 100_000,
  /** Open WebSocket connections to the gateway, per process. */
  gateway_connections: 1000,
  /** Size of the organization's stored events: bytes of their data as JSON. */
  storage_bytes: 100_000_000_000,
} as const;

export type QuotaName = keyof typeof defaultQuotas;
export const quotaNames = Object.keys(defaultQuotas) as readonly QuotaName[];

/** Maximum number of headers registered for one webhook. Headers registered for every webhook do not count. */
export const headersPerWebhook = 100;

/** Usage by quota; a missing quota counts as 0. */
export type Counts = Readonly<Partial<Record<QuotaName, number>>>;

const none: Counts = {};

/**
 * Change in usage that one event of each type causes. Deciders emit these events only when a resource is created or
 * removed, so a repeated command never counts twice. A transaction that a reorg dropped is open again.
 */
const effects: Readonly<Record<string, Counts | ((data: never) => Counts)>> = {
  WalletRegistered: { wallets: 1 },
  AddressRegistered: { addresses: 1 },
  AddressRemoved: ({ imports }: { imports?: number }) => ({ addresses: -1, ...(imports && { imports: -imports }) }),
  AssetImported: ({ counted }: { counted?: true }) => (counted ? { imports: 1 } : none),
  WebhookRegistered: { webhooks: 1 },
  WebhookRemoved: { webhooks: -1 },
  WebhookHeaderRegistered: { webhook_headers: 1 },
  WebhookHeaderRemoved: { webhook_headers: -1 },
  ContractRegistered: { contracts: 1 },
  ContractRemoved: { contracts: -1 },
  CredentialIssued: { credentials: 1 },
  CredentialDeleted: { credentials: -1 },
  GatewayTokenCreated: { gateway_tokens: 1 },
  GatewayTokenDeleted: { gateway_tokens: -1 },
  TransactionCreated: { open_transactions: 1 },
  TransactionCanceled: { open_transactions: -1 },
  TransactionMined: { open_transactions: -1 },
  CancellationMined: { open_transactions: -1 },
  TransactionReplaced: { open_transactions: -1 },
  TransactionDropped: { open_transactions: 1 },
};

/**
 * Events by which an operator changes the limits of an organization. These events are stored even if the organization's
 * storage is full.
 */
const limitChanges: readonly string[] = ['QuotaSet', 'RateLimitSet', 'RateLimitDeleted'];

const effectOf = ({ type, data }: Message): Counts => {
  const effect = (Object.hasOwn(effects, type) ? effects[type] : undefined) ?? none;
  return typeof effect === 'function' ? effect(data as never) : effect;
};

const notAscii = /[^\0-\x7f]/;
const bytesOf = (character: string) => {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
};
/** Returns the size of a value as JSON in UTF-8, in bytes. */
const jsonBytes = (value: object): number => {
  const text = JSON.stringify(value);
  if (!notAscii.test(text)) return text.length;
  let bytes = 0;
  for (const character of text) bytes += bytesOf(character);
  return bytes;
};

type Sum = Partial<Record<QuotaName, number>>;
const addTo = (sum: Sum, more: Counts, sign = 1): Sum => {
  for (const name of Object.keys(more) as QuotaName[]) sum[name] = (sum[name] ?? 0) + sign * (more[name] ?? 0);
  return sum;
};
export const add = (counts: Counts, more: Counts): Counts => addTo({ ...counts }, more);
export const subtract = (counts: Counts, less: Counts): Counts => addTo({ ...counts }, less, -1);

/** Returns the usage after an event whose data takes `bytes` bytes of storage. */
export const countEvent = (counts: Counts, event: Message, bytes: number): Counts => {
  const sum = addTo({ ...counts }, effectOf(event));
  sum.storage_bytes = (sum.storage_bytes ?? 0) + bytes;
  return sum;
};

/**
 * Returns the quota usage that the events of one command add. A command that removes a resource or changes limits is
 * charged no storage, so that an organization can still remove resources and revoke keys when its storage is full.
 */
export const quotaUsageOf = (events: readonly Message[]): Counts => {
  const isFree = (event: Message) =>
    limitChanges.includes(event.type) || Object.values(effectOf(event)).some((change) => change < 0);
  const taken = events.reduce<Counts>((sum, event) => countEvent(sum, event, jsonBytes(event.data)), none);
  return events.some(isFree) ? { ...taken, storage_bytes: 0 } : taken;
};
