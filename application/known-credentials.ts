import { credential, type Role } from '../domain/credential.js';
import { fold } from '../domain/decider.js';
import { type EventStore, streamName } from './ports/event-store.js';
import type { Vault } from './ports/vault.js';

export type Identity = { readonly organizationId: string; readonly apiKey: string; readonly role: Role };
type Known = Identity & { readonly secret: string };

export type KnownCredentials = {
  /** From memory, else from the event store; null when it was never issued or is deleted. */
  find(apiKey: string): Promise<Known | null>;
  /** Forgets credentials as they are deleted, here or in another process, until the signal. */
  watch(signal: AbortSignal): Promise<void>;
};

const remembered = 10_000;
const keyPattern = /^ck_([0-9a-f]{32})_[0-9a-f]{32}$/;

/** An api_key names its organization, so that an unknown one is looked up in the event store by a single read. */
export const apiKeyFor = (organizationId: string, random: string) => `ck_${organizationId.slice(4)}_${random}`;
export const organizationOfKey = (apiKey: string) => {
  const found = keyPattern.exec(apiKey);
  return found && `org_${found[1]}`;
};

/** The data key's name in the vault, and what the sealed secret is bound to. */
export const credentialKeyId = (apiKey: string) => `credential:${apiKey}`;
export const credentialContext = (organizationId: string, apiKey: string) => `${organizationId}|${apiKey}`;

export const createKnownCredentials = (events: EventStore, vault: Vault): KnownCredentials => {
  const known = new Map<string, Known>();
  let deletions = 0;

  const load = async (apiKey: string): Promise<Known | null> => {
    const organizationId = organizationOfKey(apiKey);
    if (!organizationId) return null;
    const { events: past } = await events.read(streamName(organizationId, credential.stream, apiKey));
    const state = fold(credential, past as never);
    if (state.state !== 'active') return null;
    const context = credentialContext(organizationId, apiKey);
    const secret = await vault.open(credentialKeyId(apiKey), state.sealedSecret, context);
    return secret === null ? null : { organizationId, apiKey, role: state.role, secret };
  };
  const remember = (credential: Known) => {
    const oldest = known.keys().next();
    if (known.size >= remembered && !oldest.done) known.delete(oldest.value);
    known.set(credential.apiKey, credential);
  };

  return {
    find: async (apiKey) => {
      const cached = known.get(apiKey);
      if (cached) return cached;
      const before = deletions;
      const found = await load(apiKey);
      // A credential deleted while it was looked up must not be remembered from before.
      if (found && deletions === before) remember(found);
      return found;
    },
    watch: async (signal) => {
      const from = await events.head();
      known.clear();
      for await (const batch of events.subscribe(from, signal))
        for (const { type, data } of batch) {
          if (type !== 'CredentialDeleted') continue;
          deletions++;
          known.delete((data as { apiKey: string }).apiKey);
        }
    },
  };
};
