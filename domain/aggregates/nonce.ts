import type { Decider } from '../decider.js';
import { fail } from '../failure.js';
import type { OfTransaction, SenderNonce } from './transaction/transaction-data.js';

type Place = SenderNonce & OfTransaction;
type Held = Place & {
  /** Id of the transaction that this transaction replaces; absent if it replaces none. */
  replaces?: string;
};
type Released = Place & {
  /** True if no transaction holds the nonce any more: a new transaction may then use it. */
  free: boolean;
};

export type NonceEvent = { type: 'NonceHeld'; data: Held } | { type: 'NonceReleased'; data: Released };
export type NonceCommand = { type: 'Hold'; data: Held } | { type: 'Release'; data: Place };
type Nonce = { readonly holders: readonly string[] };

/**
 * One stream per sender and nonce: the first transaction to append holds the nonce, and no stream grows with the number
 * of transactions of the sender.
 */
export const nonce: Decider<NonceCommand, NonceEvent, Nonce> = {
  stream: 'nonce',
  initial: { holders: [] },
  decide: {
    Hold: ({ holders }, data) => {
      if (holders.includes(data.transactionId)) return [];
      const last = holders.at(-1);
      if (last !== undefined && last !== data.replaces)
        return fail('FAILED_PRECONDITION', `Nonce ${data.nonce} of ${data.from} is held by transaction ${last}`);
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
