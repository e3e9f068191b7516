import type { Blocks } from './blocks.js';
import type { Evm } from './edr.js';
import type { Pool } from './pool.js';
import type { Subscriptions } from './subscriptions.js';

/** Components of a development chain that its JSON-RPC methods use. */
export type Parts = {
  readonly evm: Evm;
  readonly blocks: Blocks;
  readonly pool: Pool;
  readonly subscriptions: Subscriptions;
};
