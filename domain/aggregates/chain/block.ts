import type { Decider } from '../../decider.js';
import { fail } from '../../failure.js';

/** Block of a followed chain; `chain` is the hash of the chain's first block. */
export type FollowedBlock = { readonly number: number; readonly hash: string; readonly chain: string };

/**
 * Operator's acceptance of the block `replacement` in place of a final one. Blocks are followed again from height
 * `from`.
 */
type Acceptance = { readonly replacement: string; readonly from: number };

/** Events about a block itself. They belong to no organization, because all organizations share the chain. */
export type BlockEvent =
  /** The follower skipped the block, because no node returned it in a consistent form. */
  | { type: 'BlockUnreadable'; data: { block: FollowedBlock; reason: string } }
  /** The balances that the skipped block may have changed are read from the chain. */
  | { type: 'BalancesReadInstead'; data: { block: FollowedBlock } }
  | { type: 'BlockRetryRequested'; data: { block: FollowedBlock } }
  /** The skipped block was read after all, or a reorg replaced it. */
  | { type: 'BlockRead'; data: { block: FollowedBlock } }
  /** An operator accepted that this final block was replaced. */
  | { type: 'ReplacementAccepted'; data: { block: FollowedBlock } & Acceptance }
  /** The follower went back and follows the blocks that replaced this block. */
  | { type: 'ReplacementFollowed'; data: { block: FollowedBlock; replacement: string } };

export type BlockCommand =
  /** Skips the block. After a failed retry, records the new reason. */
  | { type: 'LeaveOut'; data: { block: FollowedBlock; reason: string } }
  | { type: 'ReadInstead'; data: { block: FollowedBlock } }
  | { type: 'Retry'; data: { block: FollowedBlock } }
  | { type: 'Read'; data: { block: FollowedBlock } }
  | { type: 'Accept'; data: { block: FollowedBlock } & Acceptance }
  /** Consumes the acceptance: another replacement of the block needs a new one. */
  | { type: 'Follow'; data: { block: FollowedBlock; replacement: string } };

type Block = {
  readonly reading: 'normal' | 'unreadable' | 'retried' | 'read';
  /** True once reading the balances that the block may have changed was recorded. */
  readonly readInstead: boolean;
  readonly accepted: Acceptance | null;
};

const isSkipped = ({ reading }: Block) => reading === 'unreadable' || reading === 'retried';

/** One stream per block that was skipped or replaced after it was final; other blocks have no stream. */
export const block: Decider<BlockCommand, BlockEvent, Block> = {
  stream: 'block',
  initial: { reading: 'normal', readInstead: false, accepted: null },
  decide: {
    LeaveOut: ({ reading }, data) => (reading === 'unreadable' ? [] : [{ type: 'BlockUnreadable', data }]),
    ReadInstead: ({ readInstead }, data) => (readInstead ? [] : [{ type: 'BalancesReadInstead', data }]),
    Retry: (state, data) => {
      if (!isSkipped(state)) return fail('FAILED_PRECONDITION', `Block ${data.block.number} was not skipped`);
      return state.reading === 'retried' ? [] : [{ type: 'BlockRetryRequested', data }];
    },
    Read: (state, data) => (isSkipped(state) ? [{ type: 'BlockRead', data }] : []),
    Accept: ({ accepted }, data) =>
      accepted?.replacement === data.replacement && accepted.from === data.from
        ? []
        : [{ type: 'ReplacementAccepted', data }],
    Follow: ({ accepted }, data) =>
      accepted?.replacement === data.replacement ? [{ type: 'ReplacementFollowed', data }] : [],
  },
  evolve: {
    BlockUnreadable: (state) => ({ ...state, reading: 'unreadable' }),
    BalancesReadInstead: (state) => ({ ...state, readInstead: true }),
    BlockRetryRequested: (state) => ({ ...state, reading: 'retried' }),
    BlockRead: (state) => ({ ...state, reading: 'read' }),
    ReplacementAccepted: (state, { replacement, from }) => ({ ...state, accepted: { replacement, from } }),
    ReplacementFollowed: (state) => ({ ...state, accepted: null }),
  },
};
