import { type Collection, scopeOf } from '../../projections/define.js';
import type { DocumentKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

type Ports = { readonly readModels: ReadModels; readonly system: System };

/** Yields the documents of all organizations on one chain in pages, each document with its organization id. */
export const pagesOfAllOwners = async function* <Doc>(
  { readModels, system }: Ports,
  collection: Collection<Doc>,
  variant: string,
) {
  let after: DocumentKey | undefined;
  for (;;) {
    const found = await readModels.scan(collection, after);
    yield found
      .map((one) => ({ ...one, organizationId: one.scope.slice(0, one.scope.indexOf('/')) }))
      .filter(({ organizationId, scope }) => scope === scopeOf(organizationId, variant));
    after = found.at(-1);
    if (!after) return;
    await system.breathe();
  }
};

/** Yields the documents of all organizations on one chain one by one, each with its organization id. */
export const documentsOfAllOwners = async function* <Doc>(ports: Ports, collection: Collection<Doc>, variant: string) {
  for await (const page of pagesOfAllOwners(ports, collection, variant)) yield* page;
};
