import type { Decider } from '../decider.js';

/** `upTo`: position in the history of the organization; addresses that were registered after it stay. */
type UpTo = { readonly walletId: string; readonly upTo: number };

export type RemovalEvent = { type: 'RemovalStarted'; data: UpTo } | { type: 'RemovalEnded'; data: UpTo };
export type RemovalCommand = { type: 'Start'; data: UpTo } | { type: 'End'; data: UpTo };
type Removal = { readonly upTo: number | null };

/** Removal of all addresses of a large wallet, which is done in parts and finished after a restart. */
export const removal: Decider<RemovalCommand, RemovalEvent, Removal> = {
  stream: 'removal',
  initial: { upTo: null },
  decide: {
    // A second one removes more than the first only if addresses were registered in between.
    Start: ({ upTo }, data) => (upTo !== null && upTo >= data.upTo ? [] : [{ type: 'RemovalStarted', data }]),
    // The end of the first does not end a second one that removes more.
    End: ({ upTo }, data) => (upTo === data.upTo ? [{ type: 'RemovalEnded', data }] : []),
  },
  evolve: {
    RemovalStarted: (_, { upTo }) => ({ upTo }),
    RemovalEnded: () => ({ upTo: null }),
  },
};
