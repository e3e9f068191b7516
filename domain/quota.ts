import type { Message } from './decider.js';

/** Number of things that an organization may have at the same time, unless an operator sets another (SetQuota). */
export const defaultQuotas = {
  wallets: 1_000_000,
  addresses: 10_000_000,
  webhooks: 1000,
  webhook_headers: 10_000,
  contracts: 10_000,
  /** Kinds of tokens that are followed at an address since a request imported them, over all addresses. */
  imports: 10_000,
  credentials: 1000,
  gateway_tokens: 1000,
  /** Managed transactions that are neither in a block nor canceled. */
  open_transactions: 100_000,
  /** WebSocket connections of the gateway to one process. */
  gateway_connections: 1000,
  /** Bytes of JSON of the data of all events that are stored for the organization. */
  storage_bytes: 100_000_000_000,
} as const;

export type QuotaName = keyof typeof defaultQuotas;
export const quotaNames = Object.keys(defaultQuotas) as readonly QuotaName[];

/** Headers that are sent to one webhook, beside those that are sent to every webhook. */
export const headersPerWebhook = 100;

/** Number of things by quota; a missing quota counts as 0. */
export type Counts = Readonly<Partial<Record<QuotaName, number>>>;

const none: Counts = {};

/**
 * Change of the counts by one event of each type, or a function from the event's data to it. Deciders emit such an event only when the thing appears or
 * disappears, so the counts are right however often a command is repeated. A transaction that a reorganization dropped
 * is open again.
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

/** Events by which an operator sets the bounds of an organization; they are accepted also when its storage is full. */
const settings: readonly string[] = ['QuotaSet', 'RateLimitSet', 'RateLimitDeleted'];

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
/** Returns the number of bytes that a value takes as JSON in UTF-8. */
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

/** Returns the counts after an event. */
export const countEvent = (counts: Counts, event: Message, bytes: number): Counts => {
  const sum = addTo({ ...counts }, effectOf(event));
  sum.storage_bytes = (sum.storage_bytes ?? 0) + bytes;
  return sum;
};

/**
 * Returns what the events of a command take from the quotas. A command that removes something takes no bytes, so that an
 * organization can give back and revoke also when its storage is full.
 */
export const takenBy = (events: readonly Message[]): Counts => {
  const isFree = (event: Message) => settings.includes(event.type) || Object.values(effectOf(event)).some((n) => n < 0);
  const taken = events.reduce<Counts>((sum, event) => countEvent(sum, event, jsonBytes(event.data)), none);
  return events.some(isFree) ? { ...taken, storage_bytes: 0 } : taken;
};
