import type { Role } from '../../domain/aggregates/credential.js';
import { checkDomain, domainName } from '../../domain/aggregates/domain-name.js';
import { checkName, organization } from '../../domain/aggregates/organization.js';
import { fail } from '../../domain/failure.js';
import { systemOwner } from '../../projections/define.js';
import { type OrganizationDocument, organizations } from '../../projections/organizations.js';
import { type Done, globalContext, type Handle, idFor, type Operation, step } from '../commands/handle.js';
import { readAggregate } from '../commands/read-aggregate.js';
import type { EventStore } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { everyDocument } from '../read-models/paging.js';

/** Caller that asks about organizations: an admin sees every one, a client only its own. */
type Asking = { readonly organizationId: string; readonly role: Role };

export type Organizations = {
  create(by: Operation, wanted: { name: string; domain: string }): Promise<Done<{ organization_id: string }>>;
  /** Returns the id of an organization, given its id or its domain. */
  idOf(idOrDomain: string): Promise<string>;
  /** Finds an organization; refuses one that the caller may not see as if it did not exist. */
  find(asking: Asking, by: { id: string } | { domain: string }): Promise<OrganizationDocument>;
  /** Returns the id of the organization that a command is about: the caller's own, or the one that an admin names. */
  subjectOf(asking: Asking, named: string | undefined): string;
  all(): AsyncIterable<OrganizationDocument>;
};

const reserved = 'system';
const noOrganization = () => fail('NOT_FOUND', 'there is no such organization');
const mayAsk = ({ organizationId, role }: Asking, id: string | null) => role === 'admin' || id === organizationId;

export const createOrganizations = (ports: {
  handle: Handle;
  events: EventStore;
  readModels: ReadModels;
  system: System;
}): Organizations => {
  const { handle, events, readModels, system } = ports;

  const exists = async (organizationId: string) =>
    (await readAggregate(events, organization, organizationId, organizationId)).exists;

  const holderOf = async (domain: string) => (await readAggregate(events, domainName, reserved, domain)).heldBy;

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
      return (await holderOf(idOrDomain)) ?? fail('NOT_FOUND', `there is no organization ${idOrDomain}`);
    },
    find: async (asking, by) => {
      const id = 'id' in by ? by.id : await holderOf(by.domain);
      const found = id && mayAsk(asking, id) ? await readModels.get(organizations, { scope: systemOwner, id }) : null;
      return found ?? noOrganization();
    },
    subjectOf: (asking, named = asking.organizationId) => (mayAsk(asking, named) ? named : noOrganization()),
    all: () => everyDocument(readModels, organizations, systemOwner),
  };
};
