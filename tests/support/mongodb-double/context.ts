import type { Document } from 'bson';
import type { Catalog, Collection } from './collections.js';
import type { Cursors } from './cursors.js';
import type { Unit } from './transactions.js';

/** What the server says of itself. */
export type Identity = { readonly address: string; readonly standalone: boolean };

/** What a command is given to work with. */
export type Context = {
  readonly command: Document;
  readonly unit: Unit;
  readonly catalog: Catalog;
  readonly cursors: Cursors;
  readonly identity: Identity;
};

/** The answer without `ok`, which execution adds. */
export type Handler = (context: Context) => Document;

/** A command's first field names it, and its value mostly names the collection. */
export const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';

export const namespaceOf = ({ command }: Context): string => `${command.$db}.${command[nameOf(command)]}`;

/** Reading does not make a collection. */
export const existing = (context: Context): Collection | undefined => context.catalog.find(namespaceOf(context));

export const obtained = (context: Context): Collection => context.catalog.obtain(namespaceOf(context));
