import { fail } from '../../domain/failure.js';
import type { Page, PageKey } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/**
 * Page tokens, which hold the key of the last document of a page. A token is signed for one list of one owner, so that
 * no other list accepts it, and with a key of the current stores, because positions differ after a migration to other
 * stores.
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
