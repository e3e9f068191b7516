import type { AnyCollection } from '../../projections/define.js';
import type { Position } from './event-store.js';
import type { Change, ReadModels } from './read-models.js';

/**
 * Documents of a collection as one run over the events made them. Readers and `commit` see the live generation. A newer
 * one is built beside it and replaces it in one step; the replaced one is retired, and removed once nobody reads it.
 */
export type Generation = {
  readonly collection: string;
  readonly number: number;
  /** Version of the projection that built these documents. */
  readonly version: number;
  readonly state: 'live' | 'building';
  /** Position up to which a generation is built. That of the live one is in the checkpoint instead. */
  readonly position: Position;
};

/** Positions by the name of the collection. */
export type Positions = Readonly<Record<string, Position>>;

/** Longest time that `hold` may block commits, also when the clock of the process that asked for it is wrong. */
export const maxHoldMs = 5000;

export interface Generations {
  /** Lists the generations that are live or being built. */
  all(): Promise<readonly Generation[]>;
  /** Starts a generation for each collection, or continues one that was started for the same projection version. */
  begin(collections: readonly AnyCollection[]): Promise<void>;
  /** Documents of the generations being built; reads reject with NothingBuilt when there is none. */
  readonly built: Pick<ReadModels, 'getMany' | 'scan'>;
  /**
   * Writes documents and positions in one step; returns false and writes nothing unless everything being built is still
   * at `from`.
   */
  build(changes: readonly Change[], from: Positions, to: Positions): Promise<boolean>;
  /** Adds the indexes that readers need. That may take long, so newer events are applied after it. */
  makeReady(collections: readonly AnyCollection[]): Promise<void>;
  /**
   * Replaces the live generations with the built ones in one step; returns false and changes nothing if one is behind
   * or not indexed. A live one beyond `end`, the last event, was made from other events: against that one, a generation
   * counts as behind only before the end.
   */
  swap(collections: readonly AnyCollection[], end?: Position): Promise<boolean>;
  /**
   * Refuses `commit` for a while, or until a swap, so that a rebuild can catch up with projections that keep moving
   * ahead.
   */
  hold(ms: number): Promise<void>;
  /** Removes generations that are being built. */
  abandon(collections: readonly AnyCollection[]): Promise<void>;
  /** Removes retired generations that no reader can still be using. */
  removeRetired(): Promise<void>;
}

/** Absence of a generation being built: it was swapped or removed, perhaps by another process. */
export class NothingBuilt extends Error {
  override readonly name = 'NothingBuilt';
}

export type RebuildableReadModels = ReadModels & { readonly generations: Generations };
