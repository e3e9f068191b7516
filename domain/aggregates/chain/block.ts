import type { Decider } from '../../decider.js';
import { fail } from '../../failure.js';

/** Block of a followed chain; `chain` is the hash of the chain's first block. */
export type FollowedBlock = { readonly number: number; readonly hash: string; readonly chain: string };

/** Another block that a person accepted in place of one that counted as final; blocks are taken anew from `from` on. */
type Acceptance = { readonly replacement: string; readonly from: number };

/** Events about a block itself. They belong to no organization, because every organization follows the same chain. */
export type BlockEvent =
  /** No node could give the block in a form that holds together, so that the follower went on without it. */
  | { type: 'BlockUnreadable'; data: { block: FollowedBlock; reason: string } }
  /** The balances that the block may have changed are read from the chain. */
  | { type: 'BalancesReadInstead'; data: { block: FollowedBlock } }
  | { type: 'BlockRetryRequested'; data: { block: FollowedBlock } }
  /** The block was read after all, or turned out to be replaced. */
  | { type: 'BlockRead'; data: { block: FollowedBlock } }
  /** A person accepted that the block, which counted as final, was replaced. */
  | { type: 'ReplacementAccepted'; data: { block: FollowedBlock } & Acceptance }
  /** The follower went back and takes the blocks that replaced it. */
  | { type: 'ReplacementFollowed'; data: { block: FollowedBlock; replacement: string } };

export type BlockCommand =
  /** Leaves the block out; after a retry that failed too it tells the new reason. */
  | { type: 'LeaveOut'; data: { block: FollowedBlock; reason: string } }
  | { type: 'ReadInstead'; data: { block: FollowedBlock } }
  | { type: 'Retry'; data: { block: FollowedBlock } }
  | { type: 'Read'; data: { block: FollowedBlock } }
  | { type: 'Accept'; data: { block: FollowedBlock } & Acceptance }
  /** Uses up the acceptance, so that the same replacement needs another one the next time. */
  | { type: 'Follow'; data: { block: FollowedBlock; replacement: string } };

type Block = {
  readonly reading: 'as usual' | 'unreadable' | 'retried' | 'read';
  /** True once the balances that the block may have changed are read from the chain. */
  readonly readInstead: boolean;
  readonly accepted: Acceptance | null;
};

const isLeftOut = ({ reading }: Block) => reading === 'unreadable' || reading === 'retried';

/** One stream per block that could not be followed as usual; all other blocks have none. */
export const block: Decider<BlockCommand, BlockEvent, Block> = {
  stream: 'block',
  initial: { reading: 'as usual', readInstead: false, accepted: null },
  decide: {
    LeaveOut: ({ reading }, data) => (reading === 'unreadable' ? [] : [{ type: 'BlockUnreadable', data }]),
    ReadInstead: ({ readInstead }, data) => (readInstead ? [] : [{ type: 'BalancesReadInstead', data }]),
    Retry: (state, data) => {
      if (!isLeftOut(state)) return fail('FAILED_PRECONDITION', `block ${data.block.number} was not left out`);
      return state.reading === 'retried' ? [] : [{ type: 'BlockRetryRequested', data }];
    },
    Read: (state, data) => (isLeftOut(state) ? [{ type: 'BlockRead', data }] : []),
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
