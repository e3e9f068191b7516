import type { Role } from '../../domain/credential.js';
import { checkDomain, domainName } from '../../domain/domain-name.js';
import { refuse } from '../../domain/failure.js';
import { checkName, organization } from '../../domain/organization.js';
import { everybody } from '../../projections/define.js';
import { type OrganizationDocument, organizations } from '../../projections/organizations.js';
import { type Done, globalContext, type Handle, idFor, type Operation, step } from '../commands/handle.js';
import { type EventStore, streamName } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { everyDocument } from '../read-models/paging.js';

/** Whoever asks about organizations: an admin sees each, a client only its own. */
type Asking = { readonly organizationId: string; readonly role: Role };

export type Organizations = {
  create(by: Operation, wanted: { name: string; domain: string }): Promise<Done<{ organization_id: string }>>;
  /** The id, given the id or the domain. */
  idOf(idOrDomain: string): Promise<string>;
  /** What is another's is not there. */
  find(asking: Asking, by: { id: string } | { domain: string }): Promise<OrganizationDocument>;
  all(): AsyncIterable<OrganizationDocument>;
};

const reserved = 'system';

export const createOrganizations = (ports: {
  handle: Handle;
  events: EventStore;
  readModels: ReadModels;
  system: System;
}): Organizations => {
  const { handle, events, readModels, system } = ports;

  const exists = async (organizationId: string) =>
    (await events.read(streamName(organizationId, organization.stream, organizationId))).events.length > 0;

  const holderOf = async (domain: string) => {
    const { events: past } = await events.read(streamName(reserved, domainName.stream, domain));
    return (past[0]?.data as { organizationId?: string } | undefined)?.organizationId;
  };

  return {
    create: async (by, { name, domain }) => {
      checkName(name);
      checkDomain(domain);
      const organizationId = idFor(by, 'org', system);
      const position = await handle(globalContext(by, organizationId), [
        step(domainName, reserved, domain, { type: 'Reserve', data: { domain, organizationId } }),
        step(organization, organizationId, organizationId, { type: 'Create', data: { organizationId, name, domain } }),
      ]);
      return { answer: { organization_id: organizationId }, position };
    },
    idOf: async (idOrDomain) => {
      if (idOrDomain.startsWith('org_') && (await exists(idOrDomain))) return idOrDomain;
      return (await holderOf(idOrDomain)) ?? refuse('NOT_FOUND', `there is no organization ${idOrDomain}`);
    },
    find: async ({ organizationId, role }, by) => {
      const id = 'id' in by ? by.id : await holderOf(by.domain);
      const permitted = role === 'admin' || id === organizationId;
      const found = id && permitted ? await readModels.get(organizations, { scope: everybody, id }) : null;
      return found ?? refuse('NOT_FOUND', 'there is no such organization');
    },
    all: () => everyDocument(readModels, organizations, everybody),
  };
};
