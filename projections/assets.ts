import type { DriftEvent } from '../domain/aggregates/ledger/drift.js';
import type { LedgerEvent } from '../domain/aggregates/ledger.js';
import type { RefreshCursor, RefreshEvent, RefreshPartEvent } from '../domain/aggregates/refresh.js';
import { type Asset, assetKey } from '../domain/asset.js';
import { type EventContext, ownScope, type Projection, scopeOf, systemOwner } from './define.js';

export type AssetDocument = {
  wallet_id: string;
  address: string;
  asset: Asset;
  standard: Asset['standard'];
  /** Key of the asset, by which balances of several addresses are added up. */
  asset_key: string;
  balance: string;
  block_number: number;
  chain: string;
  /**
   * Event position of the latest reading. Readings from before the latest registration of the address are not shown.
   */
  read_position: number;
  position: number;
};

type BalanceEvent =
  | Extract<LedgerEvent, { type: 'BalanceRead' }>
  | Extract<RefreshPartEvent, { type: 'BalanceRefreshed' }>;

export const assetDocumentId = (walletId: string, address: string, asset: Asset) =>
  `${walletId}|${address}|${assetKey(asset)}`;

const reading = (doc: AssetDocument | null, data: BalanceEvent['data'], { position }: EventContext): AssetDocument => {
  const { walletId, address, asset, balance, at, correction } = data;
  // An older reading does not replace a newer reading, because readings may be stored out of order. Heights are
  // compared only within one chain.
  if (doc && !correction && at.chain === doc.chain && at.number < doc.block_number) return doc;
  return {
    wallet_id: walletId,
    address,
    asset,
    standard: asset.standard,
    asset_key: assetKey(asset),
    balance,
    block_number: at.number,
    chain: at.chain,
    read_position: position,
    position: doc?.position ?? position,
  };
};

/** Latest balance of each address and asset, as read from a node. */
export const assets: Projection<BalanceEvent, AssetDocument> = {
  name: 'assets',
  version: 2,
  indexes: {
    byStandard: { equal: ['standard'], order: 'position' },
    byWallet: { equal: ['wallet_id', 'standard'], order: 'position' },
    byAddress: { equal: ['address', 'standard'], order: 'position' },
    assetsByStandard: { equal: ['standard'], order: 'asset_key' },
    assetsByWallet: { equal: ['wallet_id', 'standard'], order: 'asset_key' },
    assetsByAddress: { equal: ['address', 'standard'], order: 'asset_key' },
  },
  scope: ownScope,
  key: ({ data }) => assetDocumentId(data.walletId, data.address, data.asset),
  on: { BalanceRead: reading, BalanceRefreshed: reading },
};

/** Running balance refresh and its progress. */
export type RefreshDocument = {
  refresh_id: string;
  wallet_id: string;
  standard: Asset['standard'];
  part: number;
  done: number;
  total: number;
  at: { number: number; hash: string; chain: string };
  after: RefreshCursor | null;
  correction: boolean;
  /** First block whose logs a request has searched for received tokens; absent without such a request. */
  from?: number;
  /** Unreadable block from which logs are searched too, without a request or before `from`; absent if there is none. */
  gap?: number;
  /**
   * Last block whose logs were searched for tokens of the addresses following `after`; absent until the search for
   * these addresses begins.
   */
  searched?: number;
};

type RunningEvent = RefreshEvent | Extract<RefreshPartEvent, { type: 'RefreshAdvanced' }>;

export const refreshKey = (walletId: string, standard: Asset['standard']) => `${walletId}|${standard}`;

export const refreshes: Projection<RunningEvent, RefreshDocument> = {
  name: 'refreshes',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => refreshKey(data.walletId, data.standard),
  on: {
    RefreshStarted: (_, { refreshId, walletId, standard, total, done, at, after, correction = false, from, gap }) => ({
      refresh_id: refreshId,
      wallet_id: walletId,
      standard,
      part: 0,
      done,
      total,
      at,
      after,
      correction,
      ...(from !== undefined && { from }),
      ...(gap !== undefined && { gap }),
    }),
    // A part of an earlier refresh, which was restarted meanwhile, is ignored.
    RefreshAdvanced: (doc, { refreshId, part, done, at, after, searched }) => {
      if (doc?.refresh_id !== refreshId) return doc;
      const { searched: _, ...rest } = doc;
      return { ...rest, part, done, at, after, ...(searched !== undefined && { searched }) };
    },
    RefreshEnded: (doc, { refreshId }) => (doc?.refresh_id === refreshId ? null : doc),
  },
};

/**
 * First block of the last complete search for tokens that a wallet received. The search covered the contracts and
 * addresses that were registered at its start.
 */
export type SearchDocument = { wallet_id: string; standard: Asset['standard']; from: number };

export const searches: Projection<Extract<RefreshEvent, { type: 'RefreshEnded' }>, SearchDocument> = {
  name: 'searches',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => refreshKey(data.walletId, data.standard),
  on: {
    RefreshEnded: (doc, { walletId, standard, from }) =>
      from === undefined ? doc : { wallet_id: walletId, standard, from },
  },
};

/** Balance that a contract did not return. The balance is read again once the contract recovers. */
export type UnreadBalanceDocument = {
  wallet_id: string;
  address: string;
  asset: Asset;
  contract: string;
  position: number;
};

type UnreadEvent = Extract<LedgerEvent, { type: 'BalanceSetAside' | 'BalanceRead' }>;

export const unreadBalances: Projection<UnreadEvent, UnreadBalanceDocument> = {
  name: 'unread_balances',
  version: 1,
  indexes: { byContract: { equal: ['contract'], order: 'position' } },
  scope: ownScope,
  key: ({ data }) => `${data.walletId}|${data.address}|${assetKey(data.asset)}`,
  on: {
    BalanceSetAside: (doc, { walletId, address, asset }, { position }) => ({
      wallet_id: walletId,
      address,
      asset,
      contract: 'contract' in asset ? asset.contract : '',
      position: doc?.position ?? position,
    }),
    BalanceRead: () => null,
  },
};

/** Number of differences found between stored balances and the chain, and the newest difference, for operators. */
export type DriftCountDocument = {
  count: number;
  /** Newest difference between a stored balance and the chain. */
  last: { organization_id: string; wallet_id: string; address: string; block_number: number; time: string };
};

export const allDrifts = 'all';

/** Number of differences between stored balances and the chain, per API. */
export const driftCounts: Projection<DriftEvent, DriftCountDocument> = {
  name: 'drift_counts',
  version: 1,
  presentOnly: true,
  indexes: {},
  scope: ({ variant }) => scopeOf(systemOwner, variant),
  key: () => allDrifts,
  on: {
    BalanceDrifted: (doc, { walletId, address, block }, { organizationId, occurredAt }) => ({
      count: (doc?.count ?? 0) + 1,
      last: {
        organization_id: organizationId,
        wallet_id: walletId,
        address,
        block_number: block.number,
        time: occurredAt,
      },
    }),
  },
};
