import type { EventStore } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { Vault } from '../ports/vault.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { credentialKeyId } from './credential-cache.js';

/** Destroys the data keys of deleted credentials, also where the one who deleted them crashed before doing so. */
export const createShredder = (ports: { events: EventStore; state: StateStore; vault: Vault }) => {
  const follow = fromCheckpoint('shred-secrets', ports);
  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const deleted = batch.filter(({ type }) => type === 'CredentialDeleted');
      for (const { data } of deleted)
        await ports.vault.destroyKey(credentialKeyId((data as { apiKey: string }).apiKey));
      return deleted.length > 0;
    });
};
