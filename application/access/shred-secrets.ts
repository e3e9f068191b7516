import type { EventStore } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { credentialKeyId } from './credential-cache.js';
import { tokenKeyId } from './gateway/token-cache.js';

/** Functions by event type. Each returns the id of the data key that an event of its type makes obsolete. */
const obsoleteKey: Readonly<Record<string, (data: never) => string>> = {
  CredentialDeleted: ({ apiKey }: { apiKey: string }) => credentialKeyId(apiKey),
  GatewayTokenDeleted: ({ gatewayTokenId }: { gatewayTokenId: string }) => tokenKeyId(gatewayTokenId),
};

/**
 * Creates the process that destroys the data keys of deleted credentials and gateway tokens. The request that deletes a
 * credential or token destroys the data key too, but may crash before that step.
 */
export const createShredder = (ports: { events: EventStore; state: StateStore; vault: Vault; system: System }) => {
  const follow = fromCheckpoint('shred-secrets', ports);
  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const keyIds = batch.flatMap(({ type, data }) => obsoleteKey[type]?.(data as never) ?? []);
      for (const keyId of keyIds) await ports.vault.destroyKey(keyId);
      return keyIds.length > 0;
    });
};
