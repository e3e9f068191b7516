import type { Message } from '../domain/decider.js';

/** Metadata of an event that projections may use. */
export type About = {
  readonly organizationId: string;
  readonly variant: string;
  /** Scope of the organization and API; made once for all projections that file the event there. */
  readonly scope: string;
  readonly occurredAt: string;
  readonly position: number;
  /** Bytes of the event's data as JSON. */
  readonly bytes: number;
};

/** Finds documents whose `equal` fields have given values, newest (largest `order`) first. */
type Index<Doc> = {
  readonly equal: readonly (keyof Doc & string)[];
  readonly order: keyof Doc & string;
};

/** Place of documents: name and version make the collection, a scope is one owner's part of it. */
export type Collection<Doc> = {
  readonly name: string;
  readonly version: number; // raise it to force a rebuild
  readonly indexes: Readonly<Record<string, Index<Doc>>>;
};

// biome-ignore lint/suspicious/noExplicitAny: stands for collections of any document
export type AnyCollection = Collection<any>;

/** Pure functions from event to next document, or to `null` to remove it; the runner does all reading and writing. */
export type Projection<E extends Message, Doc> = Collection<Doc> & {
  /** True for documents about the present alone: answers as of a moment, and differences, leave them out. */
  readonly presentOnly?: true;
  readonly scope: (about: About) => string;
  readonly key: (event: E) => string;
  /** One function per event type; the keys are the subscription filter. */
  readonly on: {
    readonly [T in E['type']]: (doc: Doc | null, data: Extract<E, { type: T }>['data'], about: About) => Doc | null;
  };
};

/** Every read names a scope, so a query without an owner does not compile. */
export const scopeOf = (organizationId: string, variant: string) => `${organizationId}/${variant}`;
export const ownScope = ({ scope }: About) => scope;

/** Scope of documents that are looked up before the organization is known. */
export const systemOwner = 'system';
