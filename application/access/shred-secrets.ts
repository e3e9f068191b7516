import type { EventStore } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { Vault } from '../ports/vault.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { credentialKeyId } from './credential-cache.js';
import { tokenKeyId } from './gateway/token-cache.js';

/** Names of the data keys that an event of each type leaves without use. */
const unused: Readonly<Record<string, (data: never) => string>> = {
  CredentialDeleted: ({ apiKey }: { apiKey: string }) => credentialKeyId(apiKey),
  GatewayTokenDeleted: ({ gatewayTokenId }: { gatewayTokenId: string }) => tokenKeyId(gatewayTokenId),
};

/** Destroys the data keys of deleted credentials and gateway tokens, in case the process that deleted one crashed before doing so. */
export const createShredder = (ports: { events: EventStore; state: StateStore; vault: Vault }) => {
  const follow = fromCheckpoint('shred-secrets', ports);
  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const keyIds = batch.flatMap(({ type, data }) => unused[type]?.(data as never) ?? []);
      for (const keyId of keyIds) await ports.vault.destroyKey(keyId);
      return keyIds.length > 0;
    });
};
