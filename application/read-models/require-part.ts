import { OrganizationStopped } from '../../domain/failure.js';
import type { AnyCollection } from '../../projections/define.js';
import { partKey, type ReadModels } from '../ports/read-models.js';

/**
 * Rejects with OrganizationStopped while the projection is stopped for the organization, because its documents lack
 * events.
 */
export const requirePart = async (readModels: ReadModels, { name }: AnyCollection, organizationId: string) => {
  const { positions } = await readModels.checkpoint();
  if (!Object.hasOwn(positions, partKey(name, organizationId))) return;
  throw new OrganizationStopped(
    organizationId,
    `Projection ${name} is stopped for organization ${organizationId}. Run chainfold projections status for the reason.`,
  );
};
