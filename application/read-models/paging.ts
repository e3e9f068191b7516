import { fail } from '../../domain/failure.js';
import type { Collection } from '../../projections/define.js';
import type { Page, PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/**
 * Page tokens, which hold the key of the last document of a page. A token is signed for one list of one owner, so that no
 * other list accepts it, and for these stores, because positions differ after a migration.
 */
export type PageTokens = {
  read(list: readonly string[], token: string | undefined): PageKey | undefined;
  write(list: readonly string[], next: Page<unknown>['next']): string;
};

const purpose = 'page-token';
const expected = 'must be the next_page_token of this list, requested with the same filters';
const bad = () => fail('INVALID_ARGUMENT', `page_token ${expected}`, [{ path: '/page_token', message: expected }]);

export const createPageTokens = ({ signHere, same }: System): PageTokens => {
  const signature = (list: readonly string[], key: string) =>
    signHere(purpose, JSON.stringify([...list, key])).slice(0, 32);
  return {
    read: (list, token) => {
      if (!token) return undefined;
      const [key = '', signed = '', ...rest] = token.split('.');
      if (rest.length > 0 || !same(signed, signature(list, key))) return bad();
      return JSON.parse(atob(key)) as PageKey;
    },
    write: (list, next) => {
      if (!next) return '';
      const key = btoa(JSON.stringify(next)).replaceAll('=', '');
      return `${key}.${signature(list, key)}`;
    },
  };
};

/** List in memory, or one that is read in batches while it is iterated. */
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
