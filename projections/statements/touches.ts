import type { PaidFee } from '../../domain/aggregates/ledger/ledger-data.js';
import type { LedgerEvent } from '../../domain/aggregates/ledger.js';
import { type Asset, assetKey } from '../../domain/asset.js';
import { ownScope, type Projection } from '../define.js';
import { sortKeyOf } from '../transfers.js';

/** Change of a balance other than by a transfer, such as the fees that an address paid in a block. */
export type TouchDocument = {
  wallet_id: string;
  address: string;
  asset: Asset;
  reason: string;
  /** Fees by transaction; absent if the amounts were not recorded. */
  fees?: readonly PaidFee[];
  block_number: number;
  block_hash: string;
  block_time: number;
  chain: string;
  /** Sort key, as in `transfers`: time of the block, its height, then the event position. */
  moment: string;
  /**
   * Present if an import (ImportHistory) recorded the change. Balances that were stored before the import may already
   * include it.
   */
  imported?: true;
  position: number;
};

type TouchEvent = Extract<LedgerEvent, { type: 'BalanceTouched' }>;

/**
 * Balance changes without a transfer. Touches that only request a reading of the balance (reason `refresh`) are left
 * out.
 */
export const touches: Projection<TouchEvent, TouchDocument> = {
  name: 'balance_touches',
  version: 1,
  indexes: {
    byWallet: { equal: ['wallet_id'], order: 'moment' },
    byAddress: { equal: ['address'], order: 'moment' },
  },
  scope: ownScope,
  key: ({ data: { walletId, block, address, asset, reason } }) =>
    `${walletId}|${block.hash}|${address}|${assetKey(asset)}|${reason}`,
  on: {
    BalanceTouched: (doc, { walletId, block, address, asset, reason, fees, imported }, { position }) =>
      reason === 'refresh'
        ? doc
        : {
            wallet_id: walletId,
            address,
            asset,
            reason,
            ...(fees && { fees }),
            block_number: block.number,
            block_hash: block.hash,
            block_time: block.time,
            chain: block.chain,
            moment: sortKeyOf(block.time, block.number, position),
            ...(imported && { imported }),
            position,
          },
  },
};
