import type { AnyCollection, Collection } from '../../projections/define.js';
import type { Position } from './event-store.js';

/** Key of a page's last document: its order value and its id. */
export type PageKey = readonly [order: number | string, id: string];

type PageQuery = {
  readonly index: string;
  /** Values of the `equal` fields of the index, one for each, in the order of the fields. */
  readonly equal: readonly string[];
  readonly limit: number;
  readonly after?: PageKey | undefined;
  readonly oldestFirst?: boolean;
};

/** Page of documents; `next` is null on the last page. */
export type Page<Doc> = { readonly documents: readonly Doc[]; readonly next: PageKey | null };

export type DocumentKey = { readonly scope: string; readonly id: string };

export type Found<Doc> = DocumentKey & { readonly document: Doc };

/** Change of one document; `document: null` removes the document. */
export type Change = DocumentKey & {
  readonly collection: AnyCollection;
  readonly document: object | null;
};

/**
 * Positions of all projections by name, and of stopped parts by `partKey`; `revision` changes with every commit.
 */
export type Checkpoint = { readonly revision: number; readonly positions: Readonly<Record<string, Position>> };

/**
 * Documents of one organization in a projection, which stay at `position` while the documents of other organizations
 * advance.
 */
export type StoppedPart = {
  readonly projection: string;
  readonly organizationId: string;
  readonly position: Position;
};

/** Returns the name under which the checkpoint stores the position of a stopped part. */
export const partKey = (projection: string, organizationId: string) => `${projection} ${organizationId}`;

export const stoppedParts = (positions: Checkpoint['positions']): readonly StoppedPart[] =>
  Object.entries(positions).flatMap(([key, position]) => {
    const [projection = '', organizationId] = key.split(' ');
    return organizationId === undefined ? [] : [{ projection, organizationId, position }];
  });

/**
 * Returns the positions without the stopped parts of `collections`, because the new generations of these collections
 * include every organization.
 */
export const withoutParts = (positions: Checkpoint['positions'], collections: ReadonlySet<string>) =>
  Object.fromEntries(
    Object.entries(positions).filter(([key]) => !key.includes(' ') || !collections.has(key.split(' ')[0] ?? '')),
  );

export interface ReadModels {
  get<Doc>(collection: Collection<Doc>, key: DocumentKey): Promise<Doc | null>;
  /** Returns the documents in the order of the keys; null where there is none. */
  getMany<Doc>(collection: Collection<Doc>, keys: readonly DocumentKey[]): Promise<readonly (Doc | null)[]>;
  /**
   * Returns a page by index, newest first unless `oldestFirst` is true. Pages are stable under inserts, and every page
   * costs the same.
   */
  page<Doc>(collection: Collection<Doc>, scope: string, query: PageQuery): Promise<Page<Doc>>;
  /** Returns the next documents of all owners after the given key, by scope and id; empty at the end. */
  scan<Doc>(collection: Collection<Doc>, after?: DocumentKey): Promise<readonly Found<Doc>[]>;
  checkpoint(): Promise<Checkpoint>;
  /**
   * Writes documents and the checkpoint's new positions in one step and increments the revision of the checkpoint;
   * returns false and writes nothing when another process moved the checkpoint away from `from`.
   */
  commit(changes: readonly Change[], from: Checkpoint, positions: Checkpoint['positions']): Promise<boolean>;
  /** Calls the listener each time all documents are lost at once, before the first read of the empty collections. */
  onLost?(listener: () => void): void;
  close(): Promise<void>;
}
