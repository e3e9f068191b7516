import type { Decider } from '../../decider.js';
import { fail } from '../../failure.js';

/** Block of a followed chain. */
export type FollowedBlock = {
  /** Height of the block. */
  readonly number: number;
  /** Hash of the block, or its digest on Sui. */
  readonly hash: string;
  /** Hash of the first block of the chain. A restarted development chain is another chain. */
  readonly chain: string;
};
type OfBlock = {
  /** Block that the event is about. */
  readonly block: FollowedBlock;
};
type Unreadable = OfBlock & {
  /** Reason why the block could not be read: the fault in the last response of a node. */
  readonly reason: string;
};
type Replaced = OfBlock & {
  /** Hash of the block that the nodes now have at the height of the replaced block. */
  readonly replacement: string;
};
/** Operator's acceptance that another block replaced a final block. */
type Accepted = Replaced & {
  /** Height from which blocks are followed again; 0 if another chain was accepted. */
  readonly from: number;
};

/** Events about a block itself. These events belong to no organization, because all organizations share the chain. */
export type BlockEvent =
  /** The follower skipped the block, because no node returned it in a consistent form. */
  | { type: 'BlockUnreadable'; data: Unreadable }
  /** Refreshes were started for the balances that the skipped block may have changed. */
  | { type: 'BalancesReadInstead'; data: OfBlock }
  | { type: 'BlockRetryRequested'; data: OfBlock }
  /** The skipped block was read after all, or a reorg replaced it. */
  | { type: 'BlockRead'; data: OfBlock }
  /** An operator accepted that this final block was replaced. */
  | { type: 'ReplacementAccepted'; data: Accepted }
  /** The follower went back and now follows the blocks that replaced this block. */
  | { type: 'ReplacementFollowed'; data: Replaced };

export type BlockCommand =
  /** Records that the block was skipped. After a failed retry, records the new reason. */
  | { type: 'LeaveOut'; data: Unreadable }
  | { type: 'ReadInstead'; data: OfBlock }
  | { type: 'Retry'; data: OfBlock }
  | { type: 'Read'; data: OfBlock }
  | { type: 'Accept'; data: Accepted }
  /**
   * Records that the follower follows the accepted replacement. The acceptance is then used up: another replacement of
   * the block needs a new acceptance.
   */
  | { type: 'Follow'; data: Replaced };

type Block = {
  readonly reading: 'normal' | 'unreadable' | 'retried' | 'read';
  /** True once refreshes were started for the balances that the block may have changed. */
  readonly readInstead: boolean;
  readonly accepted: Omit<Accepted, 'block'> | null;
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
