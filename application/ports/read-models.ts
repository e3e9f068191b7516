import type { AnyCollection, Collection } from '../../projections/define.js';
import type { Position } from './event-store.js';

/** Where a page ended: the order value and the id of its last document. */
export type PageKey = readonly [order: number | string, id: string];

type PageQuery = {
  readonly index: string;
  /** One value for each `equal` field of the index. */
  readonly equal: readonly string[];
  readonly limit: number;
  readonly after?: PageKey | undefined;
  readonly oldestFirst?: boolean;
};

/** `next` is null when nothing follows. */
export type Page<Doc> = { readonly documents: readonly Doc[]; readonly next: PageKey | null };

export type DocumentKey = { readonly scope: string; readonly id: string };

export type Found<Doc> = DocumentKey & { readonly document: Doc };

/** `document: null` removes it. */
export type Change = DocumentKey & {
  readonly collection: AnyCollection;
  readonly document: object | null;
};

/** How far each projection has come, by name; `revision` changes with every commit. */
export type Checkpoint = { readonly revision: number; readonly positions: Readonly<Record<string, Position>> };

export interface ReadModels {
  get<Doc>(collection: Collection<Doc>, key: DocumentKey): Promise<Doc | null>;
  /** In the order of the keys, null where there is none. */
  getMany<Doc>(collection: Collection<Doc>, keys: readonly DocumentKey[]): Promise<readonly (Doc | null)[]>;
  /** By index, newest first: stable under inserts, and its cost does not grow with what lies before or after the page. */
  page<Doc>(collection: Collection<Doc>, scope: string, query: PageQuery): Promise<Page<Doc>>;
  /** Some of the documents of all owners that sort after the given one by scope and id; none when there are no more. */
  scan<Doc>(collection: Collection<Doc>, after?: DocumentKey): Promise<readonly Found<Doc>[]>;
  checkpoint(): Promise<Checkpoint>;
  /**
   * Writes documents and the checkpoint's new positions at once, if the checkpoint is still at `from`, whose revision
   * then grows by one; false, and nothing written, if another runner moved it meanwhile.
   */
  commit(changes: readonly Change[], from: Checkpoint, positions: Checkpoint['positions']): Promise<boolean>;
  /** Forgets every document and how far the projections have come. */
  reset(): Promise<void>;
  close(): Promise<void>;
}
