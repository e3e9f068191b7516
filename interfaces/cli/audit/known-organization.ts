import type { App } from '../../../application/app.js';
import { Failure } from '../../../domain/failure.js';

/** Returns the id of an organization that the store has; null when it has none of that name. */
export const foundId = (app: App, organization: string): Promise<string | null> =>
  app.organizations.idOf(organization).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return null;
    throw error;
  });

/** Returns the id of an organization, also of one that is gone but whose seals are in the log; refuses any other. */
export const knownId = async (app: App, organization: string): Promise<string> => {
  const found = await foundId(app, organization);
  if (found !== null) return found;
  if ((await app.audit.sealedOrganizations()).includes(organization)) return organization;
  return app.organizations.idOf(organization);
};
