import { credential, type Role } from '../../domain/credential.js';
import type { MaybePromise } from '../async/maybe-promise.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore } from '../ports/event-store.js';
import type { Vault } from '../ports/vault.js';
import { createEventInvalidatedCache, type Memory } from './event-invalidated-cache.js';

export type Identity = { readonly organizationId: string; readonly apiKey: string; readonly role: Role };
type Known = Identity & { readonly secret: string };

export type CredentialCache = Memory & {
  /** From memory, else from the event store; null when it was never issued or is deleted. */
  find(apiKey: string): MaybePromise<Known | null>;
};

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

export const createCredentialCache = (events: EventStore, vault: Vault): CredentialCache => {
  const known = createEventInvalidatedCache(async (apiKey: string): Promise<Known | null> => {
    const organizationId = organizationOfKey(apiKey);
    if (!organizationId) return null;
    const state = await readAggregate(events, credential, organizationId, apiKey);
    if (state.state !== 'active') return null;
    const context = credentialContext(organizationId, apiKey);
    const secret = await vault.open(credentialKeyId(apiKey), state.sealedSecret, context);
    return secret === null ? null : { organizationId, apiKey, role: state.role, secret };
  });
  return {
    find: known.find,
    forgetAll: known.forgetAll,
    notice: ({ type, data }) => {
      if (type === 'CredentialDeleted') known.forget((data as { apiKey: string }).apiKey);
    },
  };
};
