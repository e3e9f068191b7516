import type { AnyCollection } from '../../projections/define.js';
import type { Position } from './event-store.js';
import type { Change, ReadModels } from './read-models.js';

/**
 * Documents of a collection, built in one pass over the events. Readers and `commit` use the live generation. A newer
 * generation is built beside the live generation and then replaces the live generation atomically. The replaced
 * generation is retired, and removed once no reader uses it.
 */
export type Generation = {
  readonly collection: string;
  readonly number: number;
  /** Version of the projection that built these documents. */
  readonly version: number;
  readonly state: 'live' | 'building';
  /**
   * Position up to which a generation in state `building` is built. The position of a live generation is in the
   * checkpoint.
   */
  readonly position: Position;
};

/** Positions up to which generations are built, by collection name. */
export type Positions = Readonly<Record<string, Position>>;

/**
 * Maximum time in milliseconds for which `hold` blocks commits. The maximum applies even if the clock of the requesting
 * process is wrong.
 */
export const maxHoldMs = 5000;

export interface Generations {
  /** Lists the generations that are live or being built. */
  listGenerations(): Promise<readonly Generation[]>;
  /**
   * Starts a generation for each collection, or continues a generation that was started for the same projection
   * version.
   */
  begin(collections: readonly AnyCollection[]): Promise<void>;
  /** Documents of the generations being built; reads reject with NothingBuilt when no generation is being built. */
  readonly built: Pick<ReadModels, 'getMany' | 'scan'>;
  /**
   * Writes documents and positions atomically. Returns false and writes nothing unless every generation being built is
   * still at `from`.
   */
  build(changes: readonly Change[], from: Positions, to: Positions): Promise<boolean>;
  /**
   * Adds to the generations being built the indexes that readers need. Events that are stored meanwhile are applied
   * after the indexing.
   */
  makeReady(collections: readonly AnyCollection[]): Promise<void>;
  /**
   * Replaces the live generations with the built generations atomically. Returns false and changes nothing if a built
   * generation is behind the live generation or not indexed. `end` is the position of the store's last event. A live
   * generation beyond `end` was built from events that the store does not have; the generation that replaces it only
   * has to reach `end`.
   */
  swap(collections: readonly AnyCollection[], end?: Position): Promise<boolean>;
  /**
   * Blocks `commit` for `ms` milliseconds, at most `maxHoldMs`, or until a swap, so that a rebuild can catch up with
   * live projections.
   */
  hold(ms: number): Promise<void>;
  /** Removes generations that are being built. */
  abandon(collections: readonly AnyCollection[]): Promise<void>;
  /** Removes retired generations that no reader can still be using. */
  removeRetired(): Promise<void>;
}

/** Thrown when no generation is being built: the generation was swapped or removed, perhaps by another process. */
export class NothingBuilt extends Error {
  override readonly name = 'NothingBuilt';
}

export type RebuildableReadModels = ReadModels & { readonly generations: Generations };
