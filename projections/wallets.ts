import type { AddressEvent } from '../domain/address.js';
import type { WalletEvent } from '../domain/wallet.js';
import { type About, ownScope, type Projection } from './define.js';

/** Holds no addresses: each is a document of its own, so no wallet document grows without bound. */
export type WalletDocument = {
  wallet_id: string;
  name: string;
  confirmation?: number;
  create_time: string;
  update_time: string;
  position: number;
};

const touch = (doc: WalletDocument | null, { occurredAt }: About, change: Partial<WalletDocument> = {}) =>
  doc && { ...doc, ...change, update_time: occurredAt };

type Event = WalletEvent | Extract<AddressEvent, { type: `Address${string}` }>;

export const wallets: Projection<Event, WalletDocument> = {
  name: 'wallets',
  version: 1,
  indexes: { all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.walletId,
  on: {
    WalletRegistered: (_, { walletId, name, confirmation }, { occurredAt, position }) => ({
      wallet_id: walletId,
      name,
      ...(confirmation !== undefined && { confirmation }),
      create_time: occurredAt,
      update_time: occurredAt,
      position,
    }),
    ConfirmationUpdated: (doc, { confirmation }, about) => touch(doc, about, { confirmation }),
    AddressRegistered: (doc, _, about) => touch(doc, about),
    AddressRemoved: (doc, _, about) => touch(doc, about),
  },
};
