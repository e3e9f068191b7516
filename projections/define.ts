import type { Message } from '../domain/decider.js';

/** What is known of an event besides its data. */
export type About = {
  readonly organizationId: string;
  readonly variant: string;
  readonly occurredAt: string;
  readonly position: number;
};

/** Finds documents whose `equal` fields have given values, newest (largest `order`) first. */
type Index<Doc> = {
  readonly equal: readonly (keyof Doc & string)[];
  readonly order: keyof Doc & string;
};

/** Where documents live: name and version make the collection, a scope is one owner's part of it. */
export type Collection<Doc> = {
  readonly name: string;
  readonly version: number; // raise it to force a rebuild
  readonly indexes: Readonly<Record<string, Index<Doc>>>;
};

// biome-ignore lint/suspicious/noExplicitAny: for code that handles collections whatever their documents look like
export type AnyCollection = Collection<any>;

/** Pure: event in, next document out. `null` removes the document; the runner does all reading and writing. */
export type Projection<E extends Message, Doc> = Collection<Doc> & {
  readonly scope: (about: About) => string;
  readonly key: (event: E) => string;
  /** Its keys are the subscription filter. */
  readonly on: {
    readonly [T in E['type']]: (doc: Doc | null, data: Extract<E, { type: T }>['data'], about: About) => Doc | null;
  };
};

/** Every read names a scope, so a query that forgets whose data it wants does not compile. */
export const scopeOf = (organizationId: string, variant: string) => `${organizationId}/${variant}`;
export const ownScope = ({ organizationId, variant }: About) => scopeOf(organizationId, variant);

/** For what is looked up before the organization is known. */
export const everybody = 'system';
