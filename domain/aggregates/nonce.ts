import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

/** `chain` is the hash of the chain's first block, since a development chain starts over, and its nonces with it. */
type Place = { chain: string; from: string; nonce: number; transactionId: string };
/** `replaces` is the transaction that this one outbids. */
type Held = Place & { replaces?: string };

export type NonceEvent =
  | { type: 'NonceHeld'; data: Held }
  /** `free`: no transaction holds the nonce any more, so it is the next to be used. */
  | { type: 'NonceReleased'; data: Place & { free: boolean } };
export type NonceCommand = { type: 'Hold'; data: Held } | { type: 'Release'; data: Place };
type Nonce = { readonly holders: readonly string[] };

/** One stream per sender and nonce: the first to append holds it, and no stream grows with a sender's history. */
export const nonce: Decider<NonceCommand, NonceEvent, Nonce> = {
  stream: 'nonce',
  initial: { holders: [] },
  decide: {
    Hold: ({ holders }, data) => {
      if (holders.includes(data.transactionId)) return [];
      const last = holders.at(-1);
      if (last !== undefined && last !== data.replaces)
        return fail('FAILED_PRECONDITION', `nonce ${data.nonce} of ${data.from} is held by transaction ${last}`);
      return [{ type: 'NonceHeld', data }];
    },
    Release: ({ holders }, data) =>
      holders.includes(data.transactionId)
        ? [{ type: 'NonceReleased', data: { ...data, free: holders.length === 1 } }]
        : [],
  },
  evolve: {
    NonceHeld: ({ holders }, { transactionId }) => ({ holders: [...holders, transactionId] }),
    NonceReleased: ({ holders }, { transactionId }) => ({ holders: holders.filter((one) => one !== transactionId) }),
  },
};
