import type { App } from '../../../application/app.js';
import { systemStreams } from '../../../application/ports/event-store.js';
import { Failure } from '../../../domain/failure.js';

/** Returns the id of an organization, given its id or domain; null if the store does not have it. */
export const findOrganizationId = (app: App, organization: string): Promise<string | null> =>
  app.organizations.idOf(organization).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
    throw error;
  });

/** Returns the owner of a history: an organization by id or domain, or `system` for the service itself. */
export const historyOwner = async (app: App, given: string): Promise<string> =>
  given === systemStreams ? systemStreams : app.organizations.idOf(given);

/**
 * Returns the id of an organization in the store or, if the store lost the organization, in the seal log. Throws if
 * neither the store nor the log has it.
 */
export const requireOrganizationId = async (app: App, organization: string): Promise<string> => {
  const found = await findOrganizationId(app, organization);
  if (found !== null) return found;
  if ((await app.audit.sealedOrganizations()).includes(organization)) return organization;
  return app.organizations.idOf(organization);
};
