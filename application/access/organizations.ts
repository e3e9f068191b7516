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

/** Caller of an organization operation. An admin sees every organization, a client only its own. */
type Caller = { readonly organizationId: string; readonly role: Role };

export type Organizations = {
  create(by: Operation, wanted: { name: string; domain: string }): Promise<Done<{ organization_id: string }>>;
  /** Returns the id of the organization with this id or domain. */
  idOf(idOrDomain: string): Promise<string>;
  /** Finds an organization. An organization that the caller may not see is reported as not found. */
  find(caller: Caller, by: { id: string } | { domain: string }): Promise<OrganizationDocument>;
  /**
   * Returns the organization that a command applies to: `named`, or the caller's own. Only an admin may name another
   * organization.
   */
  targetOf(caller: Caller, named: string | undefined): string;
  all(): AsyncIterable<OrganizationDocument>;
};

const reserved = 'system';
const failNotFound = (idOrDomain: string) => fail('NOT_FOUND', `Organization not found: ${idOrDomain}`);
const maySee = ({ organizationId, role }: Caller, id: string | null) => role === 'admin' || id === organizationId;

export const createOrganizations = (ports: {
  handle: Handle;
  events: EventStore;
  readModels: ReadModels;
  system: System;
}): Organizations => {
  const { handle, events, readModels, system } = ports;

  const exists = async (organizationId: string) =>
    (await readAggregate(events, organization, organizationId, organizationId)).exists;

  const ownerOf = async (domain: string) => (await readAggregate(events, domainName, reserved, domain)).heldBy;

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
      return (await ownerOf(idOrDomain)) ?? failNotFound(idOrDomain);
    },
    find: async (caller, by) => {
      const id = 'id' in by ? by.id : await ownerOf(by.domain);
      const found = id && maySee(caller, id) ? await readModels.get(organizations, { scope: systemOwner, id }) : null;
      return found ?? failNotFound('id' in by ? by.id : by.domain);
    },
    targetOf: (caller, named = caller.organizationId) => (maySee(caller, named) ? named : failNotFound(named)),
    all: () => everyDocument(readModels, organizations, systemOwner),
  };
};
