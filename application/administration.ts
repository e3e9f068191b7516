import { credential, type Role } from '../domain/credential.js';
import { checkDomain, domainName } from '../domain/domain-name.js';
import { refuse } from '../domain/failure.js';
import { checkName, organization } from '../domain/organization.js';
import { globalVariant } from '../domain/variant.js';
import { type CredentialDocument, credentials } from '../projections/credentials.js';
import { everybody, scopeOf } from '../projections/define.js';
import { type OrganizationDocument, organizations } from '../projections/organizations.js';
import { type Context, type Handle, idFor, step } from './handle.js';
import { apiKeyFor, credentialContext, credentialKeyId } from './known-credentials.js';
import { type EventStore, type Position, streamName } from './ports/event-store.js';
import type { ReadModels } from './ports/read-models.js';
import type { System } from './ports/system.js';
import type { Vault } from './ports/vault.js';

/** Who acts when no organization does: the operator at the command line, or the service itself. */
export type Operation = Omit<Context, 'organizationId' | 'variant'>;
/** A command's answer, and the position at which the read models show it. */
export type Done<T> = { readonly answer: T; readonly position: Position };

/** The answer of a command that has none. */
export type Nothing = Record<string, never>;

export type Administration = {
  createOrganization(
    by: Operation,
    wanted: { name: string; domain: string },
  ): Promise<Done<{ organization_id: string }>>;
  /** By id or by domain. */
  findOrganization(idOrDomain: string): Promise<string>;
  listOrganizations(): AsyncIterable<OrganizationDocument>;
  /** The secret is shown here and never again. */
  issueCredential(
    by: Operation,
    organizationId: string,
    role: Role,
  ): Promise<Done<{ api_key: string; api_secret: string }>>;
  deleteCredential(by: Operation, organizationId: string, apiKey: string): Promise<Done<Nothing>>;
  listCredentials(organizationId: string): AsyncIterable<CredentialDocument>;
};

const reserved = 'system';
const pageSize = 100;

export const createAdministration = (ports: {
  handle: Handle;
  events: EventStore;
  readModels: ReadModels;
  vault: Vault;
  system: System;
}): Administration => {
  const { handle, events, readModels, vault, system } = ports;
  const contextOf = (by: Operation, organizationId: string): Context => ({
    ...by,
    organizationId,
    variant: globalVariant,
  });

  const exists = async (organizationId: string) =>
    (await events.read(streamName(organizationId, organization.stream, organizationId))).events.length > 0;

  const holderOf = async (domain: string) => {
    const { events: past } = await events.read(streamName(reserved, domainName.stream, domain));
    return (past[0]?.data as { organizationId?: string } | undefined)?.organizationId;
  };

  const all = async function* <Doc>(collection: Parameters<typeof readModels.page<Doc>>[0], scope: string) {
    let after: Parameters<typeof readModels.page>[2]['after'];
    do {
      const page = await readModels.page(collection, scope, { index: 'all', equal: [], limit: pageSize, after });
      yield* page.documents;
      after = page.next ?? undefined;
    } while (after);
  };

  return {
    createOrganization: async (by, { name, domain }) => {
      checkName(name);
      checkDomain(domain);
      const organizationId = idFor(contextOf(by, reserved), 'org', system);
      const position = await handle(contextOf(by, organizationId), [
        step(domainName, reserved, domain, { type: 'Reserve', data: { domain, organizationId } }),
        step(organization, organizationId, organizationId, { type: 'Create', data: { organizationId, name, domain } }),
      ]);
      return { answer: { organization_id: organizationId }, position };
    },
    findOrganization: async (idOrDomain) => {
      if (idOrDomain.startsWith('org_') && (await exists(idOrDomain))) return idOrDomain;
      return (await holderOf(idOrDomain)) ?? refuse('NOT_FOUND', `there is no organization ${idOrDomain}`);
    },
    listOrganizations: () => all(organizations, everybody),
    issueCredential: async (by, organizationId, role) => {
      const api_key = apiKeyFor(organizationId, system.secret().slice(0, 32));
      const api_secret = system.secret();
      const sealedSecret = await vault.seal(
        credentialKeyId(api_key),
        api_secret,
        credentialContext(organizationId, api_key),
      );
      const position = await handle(contextOf(by, organizationId), [
        step(credential, organizationId, api_key, { type: 'Issue', data: { apiKey: api_key, role, sealedSecret } }),
      ]);
      return { answer: { api_key, api_secret }, position };
    },
    deleteCredential: async (by, organizationId, apiKey) => {
      const position = await handle(contextOf(by, organizationId), [
        step(credential, organizationId, apiKey, { type: 'Delete', data: { apiKey } }),
      ]);
      // After the fact is stored: a crash in between leaves a refused credential, and deleting again finishes the job.
      await vault.destroyKey(credentialKeyId(apiKey));
      return { answer: {}, position };
    },
    listCredentials: (organizationId) => all(credentials, scopeOf(organizationId, globalVariant.tag)),
  };
};
