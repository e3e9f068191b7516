import type { Message } from '../domain/decider.js';

/** Metadata of an event that projections can use. */
export type EventContext = {
  readonly organizationId: string;
  readonly variant: string;
  /** Scope of the organization and API, built once per event for all projections. */
  readonly scope: string;
  readonly occurredAt: string;
  readonly position: number;
  /** Size of the event's data as JSON, in bytes. */
  readonly bytes: number;
};

/** Index for queries on the values of the `equal` fields, sorted by `order` descending. */
type Index<Doc> = {
  readonly equal: readonly (keyof Doc & string)[];
  readonly order: keyof Doc & string;
};

/** Collection of documents, identified by name and version. A scope contains the documents of one owner. */
export type Collection<Doc> = {
  readonly name: string;
  /** Version of the documents. A higher version forces a rebuild from the events. */
  readonly version: number;
  readonly indexes: Readonly<Record<string, Index<Doc>>>;
};

// biome-ignore lint/suspicious/noExplicitAny: stands for collections of any document
export type AnyCollection = Collection<any>;

/**
 * Pure functions that compute the next document from an event and the current document, or return `null` to remove the
 * document. The projector reads and writes the documents.
 */
export type Projection<E extends Message, Doc> = Collection<Doc> & {
  /**
   * Present if the documents describe only the current state. Queries and diffs of past states exclude such documents.
   */
  readonly presentOnly?: true;
  readonly scope: (about: EventContext) => string;
  readonly key: (event: E) => string;
  /** Function per event type, which returns the next document. Events of other types are ignored. */
  readonly on: {
    readonly [T in E['type']]: (
      doc: Doc | null,
      data: Extract<E, { type: T }>['data'],
      about: EventContext,
    ) => Doc | null;
  };
};

/** Returns the scope of an organization's documents on one API. Every read requires a scope. */
export const scopeOf = (organizationId: string, variant: string) => `${organizationId}/${variant}`;
export const ownScope = ({ scope }: EventContext) => scope;

/** Scope of documents that belong to no organization, or that are read across organizations. */
export const systemOwner = 'system';
