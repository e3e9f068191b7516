import type { Decider } from '../decider.js';
import type { OfWallet } from './wallet.js';

type UpTo = OfWallet & {
  /** Event position: addresses registered up to this position are removed, addresses registered later are kept. */
  readonly upTo: number;
};

export type RemovalEvent = { type: 'RemovalStarted'; data: UpTo } | { type: 'RemovalEnded'; data: UpTo };
export type RemovalCommand = { type: 'Start'; data: UpTo } | { type: 'End'; data: UpTo };
type Removal = { readonly upTo: number | null };

/**
 * Removal of all addresses of a wallet with too many addresses for a single command. The removal runs in batches and
 * resumes after a restart.
 */
export const removal: Decider<RemovalCommand, RemovalEvent, Removal> = {
  stream: 'removal',
  initial: { upTo: null },
  decide: {
    // A second removal is needed only if addresses were registered after the first removal started.
    Start: ({ upTo }, data) => (upTo !== null && upTo >= data.upTo ? [] : [{ type: 'RemovalStarted', data }]),
    // The end of an earlier removal does not end a later removal, which covers more addresses.
    End: ({ upTo }, data) => (upTo === data.upTo ? [{ type: 'RemovalEnded', data }] : []),
  },
  evolve: {
    RemovalStarted: (_, { upTo }) => ({ upTo }),
    RemovalEnded: () => ({ upTo: null }),
  },
};
