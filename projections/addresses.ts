import type { AddressEvent } from '../domain/aggregates/address.js';
import type { HistoryImportEvent } from '../domain/aggregates/ledger/history-import.js';
import type { RemovalEvent } from '../domain/aggregates/removal.js';
import type { ImportedToken } from '../domain/asset.js';
import { ownScope, type Projection } from './define.js';

/** Token followed at an address, with the event position of its import. */
type Import = { readonly asset: ImportedToken; readonly account?: string; readonly position: number };

/** Token account of an address for a registered contract. */
type Account = { readonly asset: ImportedToken; readonly account: string };

export type AddressDocument = {
  address: string;
  wallet_id: string;
  position: number;
  imports?: readonly Import[];
  accounts?: readonly Account[];
  /** First block from which on an import completed the history; `chain` is the hash of the chain's first block. */
  complete_since?: { readonly block: number; readonly chain: string };
};

const withAccount = (accounts: readonly Account[] = [], { asset, account }: Account) => [
  ...accounts.filter((one) => one.asset.contract !== asset.contract),
  { asset, account },
];

const withImport = (imports: readonly Import[], added: Import) => [
  ...imports.filter((one) => one.asset.contract !== added.asset.contract),
  added,
];

type Completed = Extract<HistoryImportEvent, { type: 'ImportCompleted' }>;
const earliest = (known: AddressDocument['complete_since'], { completeSince, chain }: Completed['data']) =>
  known?.chain === chain && known.block <= completeSince ? known : { block: completeSince, chain };

export const addresses: Projection<AddressEvent | Completed, AddressDocument> = {
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
        imports: withImport(doc.imports ?? [], { asset, ...(account !== undefined && { account }), position }),
      },
    TokenAccountFound: (doc, found) => doc && { ...doc, accounts: withAccount(doc.accounts, found) },
    // The address may have been moved to another wallet, whose history then lacks the imported transfers.
    ImportCompleted: (doc, data) =>
      doc?.wallet_id === data.walletId ? { ...doc, complete_since: earliest(doc.complete_since, data) } : doc,
  },
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

/**
 * Removed address that the follower keeps for blocks up to height `head`, which were not followed at the removal.
 * `head` is null while the address is still held: then the document only collects its imports for a later removal.
 */
export type DepartureDocument = {
  address: string;
  wallet_id: string;
  head: number | null;
  imports: readonly Import[];
  accounts?: readonly Account[];
};

type DepartureEvent = Extract<AddressEvent, { type: 'AddressRemoved' | 'AssetImported' | 'TokenAccountFound' }>;

/** Returns the imports and accounts since the last removal. */
const current = (doc: DepartureDocument | null): Pick<DepartureDocument, 'imports' | 'accounts'> => {
  if (doc?.head !== null) return { imports: [] };
  return { imports: doc.imports, ...(doc.accounts && { accounts: doc.accounts }) };
};

export const departures: Projection<DepartureEvent, DepartureDocument> = {
  name: 'departures',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => `${data.walletId}|${data.address}`,
  on: {
    AddressRemoved: (doc, { address, walletId, head }) =>
      head === undefined ? null : { address, wallet_id: walletId, head, ...current(doc) },
    AssetImported: (doc, { address, walletId, asset, account }, { position }) => ({
      address,
      wallet_id: walletId,
      head: null,
      ...current(doc),
      imports: withImport(current(doc).imports, { asset, ...(account !== undefined && { account }), position }),
    }),
    TokenAccountFound: (doc, { address, walletId, ...found }) => ({
      address,
      wallet_id: walletId,
      head: null,
      ...current(doc),
      accounts: withAccount(current(doc).accounts, found),
    }),
  },
};
