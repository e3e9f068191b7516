import type { BlockEvent } from '../domain/aggregates/chain/block.js';
import { ownScope, type Projection } from './define.js';

/** Block that a follower skipped because it could not be read. */
export type UnreadableBlockDocument = {
  number: number;
  hash: string;
  /** Hash of the first block of the chain. */
  chain: string;
  reason: string;
  create_time: string;
  /** `yes` from an operator's request to read the block again until that attempt succeeds or fails. */
  retried: 'yes' | 'no';
  /** `yes` until refreshes were started for the balances that the block may have changed. */
  balances_due: 'yes' | 'no';
};

type Event = Exclude<BlockEvent, { type: `Replacement${string}` }>;

/** Blocks that followers skipped, until the blocks are read or replaced. The documents belong to no organization. */
export const unreadableBlocks: Projection<Event, UnreadableBlockDocument> = {
  name: 'unreadable_blocks',
  version: 1,
  indexes: {
    all: { equal: [], order: 'number' },
    byRetry: { equal: ['retried'], order: 'number' },
    byBalances: { equal: ['balances_due'], order: 'number' },
  },
  scope: ownScope,
  key: ({ data }) => data.block.hash,
  on: {
    BlockUnreadable: (doc, { block, reason }, { occurredAt }) => ({
      ...block,
      reason,
      create_time: doc?.create_time ?? occurredAt,
      retried: 'no',
      balances_due: doc?.balances_due ?? 'yes',
    }),
    BalancesReadInstead: (doc) => doc && { ...doc, balances_due: 'no' },
    BlockRetryRequested: (doc) => doc && { ...doc, retried: 'yes' },
    BlockRead: () => null,
  },
};
