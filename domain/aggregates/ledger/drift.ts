import type { Decider } from '../../decider.js';
import type { Activity, Holding } from './ledger-data.js';

/** Difference between the stored balance and the balance on the chain. */
export type Drifted = Activity &
  Holding & {
    /** Balance that was stored, as a decimal number of smallest units. */
    readonly expected: string;
    /** Balance that the node reports at `block`, as a decimal number of smallest units. */
    readonly found: string;
    /** Height at which the expected balance was read. No transfer since then explains the difference. */
    readonly since: number;
  };

/**
 * Reconciliation found a stored balance that differs from the chain. A BalanceRead at the same block corrects it.
 */
export type DriftEvent = { type: 'BalanceDrifted'; data: Drifted };
type DriftCommand = { type: 'Record'; data: Drifted };
/**
 * `last` is the stored balance that was last found to be wrong, with the chain and the height at which that balance was
 * read; null before the first difference.
 */
type Drift = { readonly last: { readonly chain: string; readonly since: number; readonly expected: string } | null };

/**
 * One stream per wallet, address and asset, so that two concurrent reconciliations record a difference only once.
 */
export const drift: Decider<DriftCommand, DriftEvent, Drift> = {
  stream: 'drift',
  initial: { last: null },
  decide: {
    Record: ({ last }, data) => {
      const isKnown = last?.chain === data.block.chain && last.since === data.since && last.expected === data.expected;
      return isKnown ? [] : [{ type: 'BalanceDrifted', data }];
    },
  },
  evolve: {
    BalanceDrifted: (_, { block, since, expected }) => ({ last: { chain: block.chain, since, expected } }),
  },
};
