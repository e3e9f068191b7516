import type { AddressEvent } from '../domain/address.js';
import { ownScope, type Projection } from './define.js';

export type AddressDocument = { address: string; wallet_id: string; position: number };

export const addresses: Projection<AddressEvent, AddressDocument> = {
  name: 'addresses',
  version: 1,
  indexes: { byWallet: { equal: ['wallet_id'], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.address,
  on: {
    AddressRegistered: (_, { address, walletId }, { position }) => ({ address, wallet_id: walletId, position }),
    AddressRemoved: () => null,
  },
};
