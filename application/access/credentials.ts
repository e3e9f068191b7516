import { credential, type Role } from '../../domain/credential.js';
import { Failure, refuse } from '../../domain/failure.js';
import { organization } from '../../domain/organization.js';
import { globalVariant } from '../../domain/variant.js';
import { type CredentialDocument, credentials } from '../../projections/credentials.js';
import { scopeOf } from '../../projections/define.js';
import { type Done, globalContext, type Handle, type Nothing, type Operation, step } from '../commands/handle.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import { everyDocument, type ListPage, type Lists, type PageRequest } from '../read-models/paging.js';
import {
  apiKeyFor,
  type CredentialCache,
  credentialContext,
  credentialKeyId,
  organizationOfKey,
} from './credential-cache.js';

export type Credentials = {
  /** The secret is shown here and never again, except to a retry of the same request. */
  issue(by: Operation, organizationId: string, role: Role): Promise<Done<{ api_key: string; api_secret: string }>>;
  delete(by: Operation, apiKey: string): Promise<Done<Nothing>>;
  /** For whoever holds both key and secret; whether only the secret is wrong is not told. */
  surrender(by: Operation, apiKey: string, apiSecret: string): Promise<Done<Nothing>>;
  list(organizationId: string, page: PageRequest): Promise<ListPage<CredentialDocument>>;
  all(organizationId: string): AsyncIterable<CredentialDocument>;
};

const scopeFor = (organizationId: string) => scopeOf(organizationId, globalVariant.tag);
const noCredential = () => refuse('NOT_FOUND', 'there is no such credential');
const isHeld = (error: unknown) => error instanceof Failure && error.code === 'ALREADY_EXISTS';

export const createCredentials = (ports: {
  handle: Handle;
  events: EventStore;
  readModels: ReadModels;
  lists: Lists;
  known: CredentialCache;
  vault: Vault;
  system: System;
}): Credentials => {
  const { handle, events, readModels, lists, known, vault, system } = ports;

  const make = async (by: Operation, organizationId: string, role: Role, api_key: string) => {
    const data = { organizationId };
    const existing = step(organization, organizationId, organizationId, { type: 'RequireExisting', data });
    // Before anything is put into the vault for it.
    await handle(globalContext(by, organizationId), [existing]);
    const api_secret = system.secret();
    const context = credentialContext(organizationId, api_key);
    const sealedSecret = await vault.seal(credentialKeyId(api_key), api_secret, context);
    const position = await handle(globalContext(by, organizationId), [
      existing,
      step(credential, organizationId, api_key, { type: 'Issue', data: { apiKey: api_key, role, sealedSecret } }),
    ]);
    return { answer: { api_key, api_secret }, position };
  };
  const remove = async (by: Operation, apiKey: string) => {
    const organizationId = organizationOfKey(apiKey) ?? noCredential();
    const position = await handle(globalContext(by, organizationId), [
      step(credential, organizationId, apiKey, { type: 'Delete', data: { apiKey } }),
    ]);
    // At once rather than by the process that does the same: whoever is answered can rely on it.
    await vault.destroyKey(credentialKeyId(apiKey));
    return { answer: {}, position };
  };

  return {
    issue: async (by, organizationId, role) => {
      // The key alone opens the gateway, so it must not be guessed; a retry gets the key of the first try.
      const random = by.idSeed === undefined ? system.secret() : system.sign('idempotent-key', by.idSeed);
      const api_key = apiKeyFor(organizationId, random.slice(0, 32));
      try {
        return await make(by, organizationId, role, api_key);
      } catch (error) {
        const earlier = by.idSeed !== undefined && isHeld(error) ? await known.find(api_key) : null;
        if (!earlier) throw error;
        return { answer: { api_key, api_secret: earlier.secret }, position: await events.head() };
      }
    },
    delete: remove,
    surrender: async (by, apiKey, apiSecret) => {
      const held = await known.find(apiKey);
      return held && system.same(held.secret, apiSecret) ? remove(by, apiKey) : noCredential();
    },
    list: (organizationId, page) => lists(credentials, scopeFor(organizationId), { index: 'all', equal: [] }, page),
    all: (organizationId) => everyDocument(readModels, credentials, scopeFor(organizationId)),
  };
};
