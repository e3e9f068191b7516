import type { Blocks } from './blocks.js';
import type { Evm } from './edr.js';
import type { Pool } from './pool.js';
import type { Subscriptions } from './subscriptions.js';

/** Parts of a development chain that its methods work on. */
export type Parts = {
  readonly evm: Evm;
  readonly blocks: Blocks;
  readonly pool: Pool;
  readonly subscriptions: Subscriptions;
};
