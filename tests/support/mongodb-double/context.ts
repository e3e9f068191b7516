import type { Document } from 'bson';
import type { Catalog, Collection } from './collections.js';
import type { Cursors } from './cursors.js';
import type { Unit } from './transactions.js';

/** Address and kind of the server, as the command `hello` returns them. */
export type Identity = { readonly address: string; readonly standalone: boolean };

/** State of the server that a command reads and changes. */
export type Context = {
  readonly command: Document;
  readonly unit: Unit;
  readonly catalog: Catalog;
  readonly cursors: Cursors;
  readonly identity: Identity;
};

/** Handler of a command. Returns the answer without `ok`, which `execution.ts` adds. */
export type Handler = (context: Context) => Document;

/**
 * Returns the name of a command, which is its first field. In most commands, the value of that field names the
 * collection.
 */
export const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';

export const namespaceOf = ({ command }: Context): string => `${command.$db}.${command[nameOf(command)]}`;

/** Finds the collection of a read; undefined if it does not exist, because a read creates none. */
export const existing = (context: Context): Collection | undefined => context.catalog.find(namespaceOf(context));

export const obtained = (context: Context): Collection => context.catalog.obtain(namespaceOf(context));
