import { type Asset, assetKey } from '../domain/asset.js';
import type { LedgerEvent } from '../domain/ledger.js';
import { ownScope, type Projection } from './define.js';

export type AssetDocument = {
  wallet_id: string;
  address: string;
  asset: Asset;
  standard: Asset['standard'];
  balance: string;
  block_number: number;
  chain: string;
  /** When it was read: a reading from before the address was registered says nothing. */
  read_position: number;
  position: number;
};

type BalanceEvent = Extract<LedgerEvent, { type: 'BalanceRead' }>;

/** The last balance of an address in an asset, as the node gave it. */
export const assets: Projection<BalanceEvent, AssetDocument> = {
  name: 'assets',
  version: 1,
  indexes: {
    byStandard: { equal: ['standard'], order: 'position' },
    byWallet: { equal: ['wallet_id', 'standard'], order: 'position' },
    byAddress: { equal: ['address', 'standard'], order: 'position' },
  },
  scope: ownScope,
  key: ({ data }) => `${data.walletId}|${data.address}|${assetKey(data.asset)}`,
  on: {
    BalanceRead: (doc, { walletId, address, asset, balance, at, correction }, { position }) =>
      // Two readings may be stored in another order than they were made; another chain's say nothing of this one's.
      doc && !correction && at.chain === doc.chain && at.number < doc.block_number
        ? doc
        : {
            wallet_id: walletId,
            address,
            asset,
            standard: asset.standard,
            balance,
            block_number: at.number,
            chain: at.chain,
            read_position: position,
            position: doc?.position ?? position,
          },
  },
};
