import type { AnyCollection } from '../../projections/define.js';
import type { Position } from './event-store.js';
import type { Change, ReadModels } from './read-models.js';

/**
 * Documents of a collection, built by one run over the events. Readers and `commit` use the live generation. A newer
 * generation is built beside the live one and replaces it atomically. The replaced generation is retired, and removed
 * once no reader uses it.
 */
export type Generation = {
  readonly collection: string;
  readonly number: number;
  /** Version of the projection that built these documents. */
  readonly version: number;
  readonly state: 'live' | 'building';
  /** Position up to which a generation is built. The position of the live generation is in the checkpoint instead. */
  readonly position: Position;
};

/** Positions by collection name. */
export type Positions = Readonly<Record<string, Position>>;

/** Upper bound for `hold`, which also applies when the clock of the requesting process is wrong. */
export const maxHoldMs = 5000;

export interface Generations {
  /** Lists the generations that are live or being built. */
  listGenerations(): Promise<readonly Generation[]>;
  /** Starts a generation for each collection, or continues one that was started for the same projection version. */
  begin(collections: readonly AnyCollection[]): Promise<void>;
  /** Documents of the generations being built; reads reject with NothingBuilt when there is none. */
  readonly built: Pick<ReadModels, 'getMany' | 'scan'>;
  /**
   * Writes documents and positions atomically. Returns false and writes nothing unless every generation being built is
   * still at `from`.
   */
  build(changes: readonly Change[], from: Positions, to: Positions): Promise<boolean>;
  /** Adds the indexes that readers need. Indexing may take long, so newer events are applied afterwards. */
  makeReady(collections: readonly AnyCollection[]): Promise<void>;
  /**
   * Replaces the live generations with the built ones atomically. Returns false and changes nothing if a built generation
   * is behind the live one or not indexed. A live generation beyond `end`, the position of the last event, was made from
   * other events; then the built generation only has to reach `end`.
   */
  swap(collections: readonly AnyCollection[], end?: Position): Promise<boolean>;
  /**
   * Blocks `commit` for `ms` or until a swap, so that a rebuild can catch up with live projections. At most `maxHoldMs`.
   */
  hold(ms: number): Promise<void>;
  /** Removes generations that are being built. */
  abandon(collections: readonly AnyCollection[]): Promise<void>;
  /** Removes retired generations that no reader can still be using. */
  removeRetired(): Promise<void>;
}

/** Thrown when no generation is being built: it was swapped or removed, perhaps by another process. */
export class NothingBuilt extends Error {
  override readonly name = 'NothingBuilt';
}

export type RebuildableReadModels = ReadModels & { readonly generations: Generations };
