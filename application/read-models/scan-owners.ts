import { type Collection, scopeOf } from '../../projections/define.js';
import type { DocumentKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

type Ports = { readonly readModels: ReadModels; readonly system: System };

/** Yields the documents of all organizations on one chain, each with its organization id. */
export const documentsOfAllOwners = async function* <Doc>(
  { readModels, system }: Ports,
  collection: Collection<Doc>,
  variant: string,
) {
  let after: DocumentKey | undefined;
  for (;;) {
    const found = await readModels.scan(collection, after);
    for (const { scope, document } of found) {
      const organizationId = scope.slice(0, scope.indexOf('/'));
      if (scope === scopeOf(organizationId, variant)) yield { organizationId, document };
    }
    after = found.at(-1);
    if (!after) return;
    await system.breathe();
  }
};
