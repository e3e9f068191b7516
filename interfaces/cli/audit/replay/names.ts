import type { EventRecord } from '../../../../application/audit/event-record.js';
import { apiKeyForm, shortApiKey } from '../../../../application/commands/api-key.js';

/** Maximum number of names kept in memory. Wallets, keys, webhooks and tokens named later are shown by their ids. */
const maxNames = 100_000;

/**
 * Names of wallets, keys, webhooks, gateway tokens and actors, as known from the events read so far. Each function
 * returns the id if it knows no name.
 */
export type Names = {
  wallet(walletId: string): string;
  key(apiKey: string): string;
  webhook(webhookId: string): string;
  token(gatewayTokenId: string): string;
  actor(event: EventRecord): string;
};

type Named = Readonly<{ walletId?: string; apiKey?: string; webhookId?: string; gatewayTokenId?: string }> &
  Readonly<{ name?: string; endpoint?: string }>;

/** Event types that name an object, each with a function that reads the object's id and name from the event. */
const naming: Readonly<Record<string, (data: Named) => readonly [id: string | undefined, name: string | undefined]>> = {
  WalletRegistered: ({ walletId, name }) => [walletId, name],
  CredentialIssued: ({ apiKey, name }) => [apiKey, name],
  WebhookRegistered: ({ webhookId, endpoint }) => [webhookId, endpoint],
  WebhookUpdated: ({ webhookId, endpoint }) => [webhookId, endpoint],
  GatewayTokenCreated: ({ gatewayTokenId, name }) => [gatewayTokenId, name],
};

/**
 * Creates a collector of names: `add` collects the name that an event gives, and `learn` takes a name that is known
 * from elsewhere. Credentials with the same name look identical in the output.
 */
export const createNames = (): Names & { add(event: EventRecord): void; learn(id: string, name: string): void } => {
  const names = new Map<string, string>();
  const nameOf = (id: string) => names.get(id) ?? id;
  const key = (apiKey: string) => names.get(apiKey) ?? (apiKeyForm.test(apiKey) ? shortApiKey(apiKey) : apiKey);
  const learn = (id: string, name: string) => {
    if (name && (names.has(id) || names.size < maxNames)) names.set(id, name);
  };
  return {
    add: ({ type, data }) => {
      const [id, name] = naming[type]?.(data as Named) ?? [];
      if (id !== undefined && name) learn(id, name);
    },
    learn,
    wallet: nameOf,
    webhook: nameOf,
    token: nameOf,
    key,
    actor: ({ actor: { kind, id } }) => {
      if (kind === 'credential') return `key ${key(id)}`;
      return kind === 'operator' ? `operator ${id}` : `process ${id}`;
    },
  };
};
