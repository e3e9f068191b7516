import type { AddressEvent } from '../domain/aggregates/address.js';
import type { WalletEvent } from '../domain/aggregates/wallet.js';
import { type EventContext, ownScope, type Projection } from './define.js';

/** Wallet without its addresses. Each address has its own document, so that no wallet document grows without bound. */
export type WalletDocument = {
  wallet_id: string;
  name: string;
  confirmation?: number;
  create_time: string;
  update_time: string;
  /** Number of addresses. Lists use it to bound the size of a page before reading the addresses. */
  address_count: number;
  position: number;
};

const touch = (doc: WalletDocument | null, { occurredAt }: EventContext, change: Partial<WalletDocument> = {}) =>
  doc && { ...doc, ...change, update_time: occurredAt };

const count = (doc: WalletDocument | null, about: EventContext, change: number) =>
  doc && touch(doc, about, { address_count: doc.address_count + change });

type Event = WalletEvent | Extract<AddressEvent, { type: `Address${string}` }>;

export const wallets: Projection<Event, WalletDocument> = {
  name: 'wallets',
  version: 2,
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
      address_count: 0,
      position,
    }),
    ConfirmationUpdated: (doc, { confirmation }, about) => touch(doc, about, { confirmation }),
    AddressRegistered: (doc, _, about) => count(doc, about, 1),
    AddressRemoved: (doc, _, about) => count(doc, about, -1),
  },
};
