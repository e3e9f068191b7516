import type { AnyCollection } from '../../projections/define.js';
import type { Position } from './event-store.js';
import type { Change, ReadModels } from './read-models.js';

/**
 * The documents of a collection as one run over the events made them. Readers and `commit` see the live one; a newer
 * one is built beside it and takes its place at once; what it replaced is retired, and removed when nobody reads it.
 */
export type Generation = {
  readonly collection: string;
  readonly number: number;
  /** Of the projection that made it. */
  readonly version: number;
  readonly state: 'live' | 'building';
  /** Up to where it is built; how far the live one is, the checkpoint says. */
  readonly position: Position;
};

/** By the names of collections. */
export type Positions = Readonly<Record<string, Position>>;

/** No hold lasts longer, whatever the clock of whoever asked for it says. */
export const longestHoldMs = 5000;

export interface Generations {
  /** The live ones and those that are built. */
  all(): Promise<readonly Generation[]>;
  /** Goes on with what was begun of the same version, and begins what was not. */
  begin(collections: readonly AnyCollection[]): Promise<void>;
  /** What is built so far; rejects with NothingBuilt where nothing is. */
  readonly built: Pick<ReadModels, 'getMany' | 'scan'>;
  /** Writes documents and positions at once, if all that is built is still at `from`; else false, and nothing written. */
  build(changes: readonly Change[], from: Positions, to: Positions): Promise<boolean>;
  /** Makes what is built as quick to read as the live one. That may take long, so what happened since comes after it. */
  makeReady(collections: readonly AnyCollection[]): Promise<void>;
  /** Puts what is built in the place of the live ones, all at once; false, and nothing done, if one is behind or not ready. */
  swap(collections: readonly AnyCollection[]): Promise<boolean>;
  /** For so long, or until a swap, `commit` is refused: where the live ones are always a little ahead, they wait. */
  hold(ms: number): Promise<void>;
  /** Removes what is built. */
  abandon(collections: readonly AnyCollection[]): Promise<void>;
  /** Removes what is retired and can no longer be in use. */
  removeRetired(): Promise<void>;
}

/** It was swapped or removed, perhaps by another process. */
export class NothingBuilt extends Error {
  override readonly name = 'NothingBuilt';
}

export type RebuildableReadModels = ReadModels & { readonly generations: Generations };
