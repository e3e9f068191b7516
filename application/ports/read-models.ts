import type { AnyCollection, Collection } from '../../projections/define.js';
import type { Position } from './event-store.js';

/** Key of a page's last document: its order value and its id. */
export type PageKey = readonly [order: number | string, id: string];

type PageQuery = {
  readonly index: string;
  /** One value for each `equal` field of the index. */
  readonly equal: readonly string[];
  readonly limit: number;
  readonly after?: PageKey | undefined;
  readonly oldestFirst?: boolean;
};

/** Page of documents; `next` is null when nothing follows. */
export type Page<Doc> = { readonly documents: readonly Doc[]; readonly next: PageKey | null };

export type DocumentKey = { readonly scope: string; readonly id: string };

export type Found<Doc> = DocumentKey & { readonly document: Doc };

/** Change of one document; `document: null` removes it. */
export type Change = DocumentKey & {
  readonly collection: AnyCollection;
  readonly document: object | null;
};

/** Positions of all projections by name; `revision` changes with every commit. */
export type Checkpoint = { readonly revision: number; readonly positions: Readonly<Record<string, Position>> };

export interface ReadModels {
  get<Doc>(collection: Collection<Doc>, key: DocumentKey): Promise<Doc | null>;
  /** Returns the documents in the order of the keys; null where there is none. */
  getMany<Doc>(collection: Collection<Doc>, keys: readonly DocumentKey[]): Promise<readonly (Doc | null)[]>;
  /**
   * Returns a page by index, newest first. Pages are stable under inserts and cost the same wherever they lie in the
   * list.
   */
  page<Doc>(collection: Collection<Doc>, scope: string, query: PageQuery): Promise<Page<Doc>>;
  /** Returns some documents of all owners that sort after the given one by scope and id; empty at the end. */
  scan<Doc>(collection: Collection<Doc>, after?: DocumentKey): Promise<readonly Found<Doc>[]>;
  checkpoint(): Promise<Checkpoint>;
  /**
   * Writes documents and the checkpoint's new positions in one step and adds one to its revision; returns false and
   * writes nothing when another process moved the checkpoint away from `from`.
   */
  commit(changes: readonly Change[], from: Checkpoint, positions: Checkpoint['positions']): Promise<boolean>;
  /** Calls the listener each time that everything was lost at once, before the first read of what takes its place. */
  onLost?(listener: () => void): void;
  close(): Promise<void>;
}
