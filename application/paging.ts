import { refuse } from '../domain/failure.js';
import type { Page, PageKey } from './ports/read-models.js';
import type { System } from './ports/system.js';

/** A page token says where the last page ended and is signed for one list of one owner: no other list takes it. */
export type PageTokens = {
  read(list: readonly string[], token: string | undefined): PageKey | undefined;
  write(list: readonly string[], next: Page<unknown>['next']): string;
};

const purpose = 'page-token';
const bad = () =>
  refuse('INVALID_ARGUMENT', 'page_token is not one that this list gave', [
    { path: '/page_token', message: 'is not one that this list gave' },
  ]);

export const createPageTokens = ({ sign, same }: System): PageTokens => {
  const signature = (list: readonly string[], key: string) =>
    sign(purpose, JSON.stringify([...list, key])).slice(0, 32);
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
