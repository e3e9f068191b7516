import { credential, type Role } from '../../domain/aggregates/credential.js';
import { organization } from '../../domain/aggregates/organization.js';
import { fail } from '../../domain/failure.js';
import { globalVariant } from '../../domain/variant.js';
import { scopeOf } from '../../projections/define.js';
import { type CredentialDocument, credentials } from '../../projections/organizations.js';
import { apiKeyFor, organizationOfKey } from '../commands/api-key.js';
import { type Done, globalContext, type Handle, type Nothing, type Operation, step } from '../commands/handle.js';
import { hasWritten, withoutSeed } from '../commands/own-events.js';
import { withSealedSecret } from '../commands/sealed-secret.js';
import { type EventStore, streamName } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import { everyDocument, type ListPage, type Lists, type PageRequest } from '../read-models/paging.js';
import { type CredentialCache, credentialContext, credentialKeyId } from './credential-cache.js';
import type { CredentialUses } from './credential-uses.js';
import type { Sessions } from './sessions/sessions.js';

/** Role and optional name of a credential to issue. */
type Wanted = { readonly role: Role; readonly name?: string | undefined };
/** Credential with `last_used`, the ISO 8601 start of the hour of its last use; absent if it was never used. */
type ListedCredential = CredentialDocument & { readonly last_used?: string };

export type Credentials = {
  /** Issues a credential. The secret is returned only here, and to a retry of the same request. */
  issue(by: Operation, organizationId: string, wanted: Wanted): Promise<Done<{ api_key: string; api_secret: string }>>;
  delete(by: Operation, apiKey: string): Promise<Done<Nothing>>;
  /**
   * Deletes a credential for a caller that presents its key and secret. A rejection does not reveal which of the two is
   * wrong.
   */
  deleteWithSecret(by: Operation, apiKey: string, apiSecret: string): Promise<Done<Nothing>>;
  list(organizationId: string, page: PageRequest): Promise<ListPage<ListedCredential>>;
  all(organizationId: string): AsyncIterable<ListedCredential>;
};

const scopeFor = (organizationId: string) => scopeOf(organizationId, globalVariant.tag);
/**
 * Rejects with a message that does not contain the key, because the key alone grants access to the gateway.
 */
const failNotFound = (given: string) => fail('NOT_FOUND', `Credential not found. Check ${given}.`);

export const createCredentials = (ports: {
  handle: Handle;
  events: EventStore;
  readModels: ReadModels;
  lists: Lists;
  credentialCache: CredentialCache;
  uses: CredentialUses;
  sessions: Pick<Sessions, 'closeDeleted'>;
  vault: Vault;
  system: System;
}): Credentials => {
  const { handle, readModels, lists, credentialCache, uses, sessions, vault, system } = ports;

  const issueWithKey = async (by: Operation, organizationId: string, { role, name }: Wanted, api_key: string) => {
    const data = { organizationId };
    const existing = step(organization, organizationId, organizationId, { type: 'RequireExisting', data });
    // The organization is checked first, so that the vault creates no data key if the organization does not exist.
    await handle(globalContext(by, organizationId), [existing]);
    const api_secret = system.secret();
    const context = credentialContext({ organizationId, apiKey: api_key, role });
    const sealedSecret = await vault.seal(credentialKeyId(api_key), api_secret, context);
    const steps = [
      existing,
      step(credential, organizationId, api_key, {
        type: 'Issue',
        data: { apiKey: api_key, role, sealedSecret, ...(name !== undefined && { name }) },
      }),
    ];
    const position = await withSealedSecret(vault, credentialKeyId(api_key), () =>
      handle(globalContext(by, organizationId), steps),
    );
    if (by.idSeed === undefined) return { answer: { api_key, api_secret }, position };
    // A retry returns the secret that the first attempt sealed.
    const issued = await credentialCache.find(api_key);
    if (!issued)
      return fail(
        'FAILED_PRECONDITION',
        'The credential issued by the first attempt of this request was deleted. Use a new idempotency-key.',
      );
    return { answer: { api_key, api_secret: issued.secret }, position };
  };
  const wasDeletedBy = (by: Operation, apiKey: string) =>
    hasWritten(ports, by, streamName(organizationOfKey(apiKey) ?? '', credential.stream, apiKey));
  const remove = async (by: Operation, apiKey: string) => {
    const organizationId = organizationOfKey(apiKey) ?? failNotFound('api_key');
    const position = await handle(globalContext(by, organizationId), [
      step(credential, organizationId, apiKey, { type: 'Delete', data: { apiKey } }),
    ]);
    // The data key is destroyed before the request succeeds. The shredder would destroy it only later.
    await vault.destroyKey(credentialKeyId(apiKey));
    await uses.forget(apiKey);
    await sessions.closeDeleted(withoutSeed(by), organizationId, apiKey);
    return { answer: {}, position };
  };
  const withUse = async (document: CredentialDocument): Promise<ListedCredential> => {
    const lastUse = await uses.find(document.api_key);
    return lastUse === null ? document : { ...document, last_used: new Date(lastUse).toISOString() };
  };

  return {
    issue: async (by, organizationId, wanted) => {
      // The key alone grants access to the gateway, so it must not be guessable. A retry derives the same key.
      const random = by.idSeed === undefined ? system.secret() : system.sign('idempotent-key', by.idSeed);
      return issueWithKey(by, organizationId, wanted, apiKeyFor(organizationId, random.slice(0, 32)));
    },
    delete: remove,
    deleteWithSecret: async (by, apiKey, apiSecret) => {
      const held = await credentialCache.find(apiKey);
      const isHolder = held ? system.same(held.secret, apiSecret) : await wasDeletedBy(by, apiKey);
      return isHolder ? remove(by, apiKey) : failNotFound('api_key and api_secret');
    },
    list: async (organizationId, page) => {
      const found = await lists(credentials, scopeFor(organizationId), { index: 'all', equal: [] }, page);
      return { ...found, documents: await Promise.all(found.documents.map(withUse)) };
    },
    all: async function* (organizationId) {
      for await (const document of everyDocument(readModels, credentials, scopeFor(organizationId)))
        yield withUse(document);
    },
  };
};
