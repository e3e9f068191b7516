import type { AddressEvent } from '../domain/address.js';
import type { ImportedToken } from '../domain/asset.js';
import { ownScope, type Projection } from './define.js';

export type AddressDocument = {
  address: string;
  wallet_id: string;
  position: number;
  /** The tokens that are followed for it, each with the position of its import. */
  imports?: readonly { readonly asset: ImportedToken; readonly account?: string; readonly position: number }[];
};

export const addresses: Projection<AddressEvent, AddressDocument> = {
  name: 'addresses',
  version: 1,
  indexes: { byWallet: { equal: ['wallet_id'], order: 'position' }, all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.address,
  on: {
    AddressRegistered: (_, { address, walletId }, { position }) => ({ address, wallet_id: walletId, position }),
    AddressRemoved: () => null,
    AssetImported: (doc, { asset, account }, { position }) =>
      doc && {
        ...doc,
        imports: [
          ...(doc.imports ?? []).filter((one) => one.asset.contract !== asset.contract),
          { asset, ...(account !== undefined && { account }), position },
        ],
      },
  },
};
