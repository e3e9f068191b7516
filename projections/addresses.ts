import type { AddressEvent } from '../domain/aggregates/address.js';
import type { HistoryImportEvent } from '../domain/aggregates/ledger/history-import.js';
import type { RemovalEvent } from '../domain/aggregates/removal.js';
import type { ImportedToken } from '../domain/asset.js';
import { assetDocumentId } from './assets.js';
import { ownScope, type Projection } from './define.js';

export type AddressDocument = {
  address: string;
  wallet_id: string;
  position: number;
  /**
   * Earliest block from which the history of the address is complete; absent if no import (ImportHistory) was
   * completed. `chain` is the hash of the chain's first block.
   */
  complete_since?: { readonly block: number; readonly chain: string };
};

type Completed = Extract<HistoryImportEvent, { type: 'ImportCompleted' }>;
const earliest = (known: AddressDocument['complete_since'], { completeSince, chain }: Completed['data']) =>
  known?.chain === chain && known.block <= completeSince ? known : { block: completeSince, chain };

type HoldingEvent = Extract<AddressEvent, { type: 'AddressRegistered' | 'AddressRemoved' }>;

export const addresses: Projection<HoldingEvent | Completed, AddressDocument> = {
  name: 'addresses',
  version: 2,
  indexes: { byWallet: { equal: ['wallet_id'], order: 'position' }, all: { equal: [], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => data.address,
  on: {
    AddressRegistered: (_, { address, walletId }, { position }) => ({ address, wallet_id: walletId, position }),
    AddressRemoved: () => null,
    // The import is ignored if the address was moved to another wallet meanwhile, because that wallet lacks the
    // imported transfers.
    ImportCompleted: (doc, data) =>
      doc?.wallet_id === data.walletId ? { ...doc, complete_since: earliest(doc.complete_since, data) } : doc,
  },
};

/**
 * Token of an address in a wallet. The document stays after the removal of the address, so that a removal does not have
 * to delete all tokens. The document counts only if `position` is after the latest registration of the address.
 */
export type AddressTokenDocument = {
  wallet_id: string;
  address: string;
  asset: ImportedToken;
  /** Address that holds the tokens; absent if `address` itself holds the tokens. */
  account?: string;
  /** Position of the event that imported the token or recorded its account. */
  position: number;
};

type TokenEvent<Type> = Extract<AddressEvent, { type: Type }>;
type OfToken = TokenEvent<'AssetImported' | 'TokenAccountFound'>;
type TokenProjection<E extends OfToken> = Projection<E, AddressTokenDocument>;

const noted = (
  _: AddressTokenDocument | null,
  { walletId, address, asset, account }: OfToken['data'],
  { position }: { position: number },
): AddressTokenDocument => ({
  wallet_id: walletId,
  address,
  asset,
  ...(account !== undefined && { account }),
  position,
});
const shared = {
  version: 1,
  indexes: { byAddress: { equal: ['wallet_id', 'address'], order: 'position' } },
  scope: ownScope,
  key: ({ data }: OfToken) => assetDocumentId(data.walletId, data.address, data.asset),
} as const;

/** Tokens that are followed at an address because they were imported. */
export const addressImports: TokenProjection<TokenEvent<'AssetImported'>> = {
  ...shared,
  name: 'address_imports',
  on: { AssetImported: noted },
};

/** Accounts that hold the tokens of an address, for tokens whose contract is registered. */
export const tokenAccounts: TokenProjection<TokenEvent<'TokenAccountFound'>> = {
  ...shared,
  name: 'token_accounts',
  on: { TokenAccountFound: noted },
};

/** Running removal of all addresses of a wallet that were registered up to the event position `up_to`. */
export type RemovalDocument = { wallet_id: string; up_to: number };

export const removals: Projection<RemovalEvent, RemovalDocument> = {
  name: 'removals',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => data.walletId,
  on: {
    RemovalStarted: (_, { walletId, upTo }) => ({ wallet_id: walletId, up_to: upTo }),
    RemovalEnded: () => null,
  },
};

/** Removed address that the follower still watches up to height `head`, the head of the chain at the removal. */
export type DepartureDocument = { address: string; wallet_id: string; head: number };

export const departures: Projection<Extract<AddressEvent, { type: 'AddressRemoved' }>, DepartureDocument> = {
  name: 'departures',
  version: 2,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => `${data.walletId}|${data.address}`,
  on: {
    AddressRemoved: (_, { address, walletId, head }) =>
      head === undefined ? null : { address, wallet_id: walletId, head },
  },
};
