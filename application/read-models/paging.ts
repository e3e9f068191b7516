import type { Collection } from '../../projections/define.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { PageTokens } from './page-tokens.js';

/** List in memory, or a list that is read in batches while it is iterated. */
export type Listed<T> = readonly T[] | AsyncIterable<readonly T[]>;

export type PageRequest = { readonly size: number; readonly token: string | undefined };
export type ListPage<Doc> = { readonly documents: readonly Doc[]; readonly nextPageToken: string };

/** Returns one page of a list, newest first. */
export type Lists = <Doc>(
  collection: Collection<Doc>,
  scope: string,
  by: { readonly index: string; readonly equal: readonly string[] },
  page: PageRequest,
) => Promise<ListPage<Doc>>;

export const createLists =
  (readModels: ReadModels, pageTokens: PageTokens): Lists =>
  async (collection, scope, { index, equal }, { size, token }) => {
    const list = [scope, collection.name, index, ...equal];
    const after = pageTokens.read(list, token);
    const { documents, next } = await readModels.page(collection, scope, { index, equal, limit: size, after });
    return { documents, nextPageToken: pageTokens.write(list, next) };
  };

const pageSize = 100;

/** Yields all documents of a scope, newest first, reading page by page. The collection needs an index `all`. */
export const everyDocument = async function* <Doc>(readModels: ReadModels, collection: Collection<Doc>, scope: string) {
  let after: PageKey | undefined;
  do {
    const page = await readModels.page(collection, scope, { index: 'all', equal: [], limit: pageSize, after });
    yield* page.documents;
    after = page.next ?? undefined;
  } while (after);
};
