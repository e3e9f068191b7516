import type { Collection } from '../../projections/define.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Page, PageKey, ReadModels } from '../ports/read-models.js';

type Query = {
  readonly index: string;
  readonly equal: readonly string[];
  readonly after?: PageKey;
  readonly oldestFirst?: boolean;
  readonly limit?: number;
};

const pageSize = 100;

/**
 * Yields the documents of an index, reading page by page, and charges the caller for each document. The documents are
 * those of the caller's organization, unless another scope is given.
 */
export const documentsBy = async function* <Doc>(
  readModels: ReadModels,
  context: Context,
  collection: Collection<Doc>,
  { after: first, limit = pageSize, ...query }: Query,
  scope = scopeFor(context),
): AsyncGenerator<Doc> {
  for (let after: PageKey | null | undefined = first; after !== null; ) {
    const page: Page<Doc> = await readModels.page(collection, scope, { ...query, limit, after });
    context.touch?.(page.documents.length);
    yield* page.documents;
    after = page.next;
  }
};
