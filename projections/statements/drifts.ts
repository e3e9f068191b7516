import type { DriftEvent } from '../../domain/aggregates/ledger/drift.js';
import { assetDocumentId } from '../assets.js';
import { ownScope, type Projection } from '../define.js';

/** Difference between a stored balance and the chain, which reconciliation found and corrected. */
export type DriftDocument = {
  /** Id of the balance's document in `assets`: wallet, address and asset. */
  holding: string;
  expected: string;
  found: string;
  block_number: number;
  chain: string;
};

/**
 * Corrections of balances by reconciliation. A statement lists the corrections of a balance if the recorded movements
 * do not explain the balance.
 */
export const drifts: Projection<DriftEvent, DriftDocument> = {
  name: 'balance_drifts',
  version: 1,
  indexes: { byHolding: { equal: ['holding', 'chain'], order: 'block_number' } },
  scope: ownScope,
  key: ({ data: { walletId, address, asset, block } }) => `${assetDocumentId(walletId, address, asset)}|${block.hash}`,
  on: {
    BalanceDrifted: (_, { walletId, address, asset, block, expected, found }) => ({
      holding: assetDocumentId(walletId, address, asset),
      expected,
      found,
      block_number: block.number,
      chain: block.chain,
    }),
  },
};
