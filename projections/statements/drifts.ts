import type { DriftEvent } from '../../domain/aggregates/ledger/drift.js';
import { assetDocumentId } from '../assets.js';
import { ownScope, type Projection } from '../define.js';

/** Difference between a stored balance and the chain, which reconciliation found and corrected. */
export type DriftDocument = {
  /** Wallet, address and asset, as the id of the balance in `assets`. */
  holding: string;
  expected: string;
  found: string;
  block_number: number;
  chain: string;
};

/** Corrections of balances, which statements name where movements do not explain a balance. */
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
