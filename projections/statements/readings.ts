import type { LedgerEvent } from '../../domain/aggregates/ledger.js';
import type { RefreshPartEvent } from '../../domain/aggregates/refresh.js';
import type { Asset } from '../../domain/asset.js';
import { assetDocumentId } from '../assets.js';
import { type EventContext, ownScope, type Projection } from '../define.js';

/** Balance that a node returned for a block. */
export type ReadingDocument = {
  /** Id of the balance's document in `assets`: wallet, address and asset. */
  holding: string;
  asset: Asset;
  balance: string;
  block_number: number;
  chain: string;
  position: number;
};

type ReadingEvent =
  | Extract<LedgerEvent, { type: 'BalanceRead' }>
  | Extract<RefreshPartEvent, { type: 'BalanceRefreshed' }>;
type Data = ReadingEvent['data'];

const holdingOf = ({ walletId, address, asset }: Data) => assetDocumentId(walletId, address, asset);
const reading = (_: ReadingDocument | null, data: Data, { position }: EventContext): ReadingDocument => ({
  holding: holdingOf(data),
  asset: data.asset,
  balance: data.balance,
  block_number: data.at.number,
  chain: data.at.chain,
  position,
});

/** All balances that were read, so that a statement finds the balance at any block. */
export const readings: Projection<ReadingEvent, ReadingDocument> = {
  name: 'balance_readings',
  version: 1,
  indexes: { byHolding: { equal: ['holding', 'chain'], order: 'block_number' } },
  scope: ownScope,
  key: ({ data }) => `${holdingOf(data)}|${data.at.hash}`,
  on: { BalanceRead: reading, BalanceRefreshed: reading },
};

/** Block that a reorg replaced after events of a wallet were recorded in it. */
export type DropDocument = { wallet_id: string; block_number: number; chain: string; position: number };

export const dropId = (walletId: string, blockHash: string) => `${walletId}|${blockHash}`;

/**
 * Replaced blocks of wallets. Balances that were read at such a block or above it, and stored before the block was
 * dropped, may be wrong.
 */
export const drops: Projection<Extract<LedgerEvent, { type: 'ActivityDropped' }>, DropDocument> = {
  name: 'replaced_blocks',
  version: 1,
  indexes: { byWallet: { equal: ['wallet_id', 'chain'], order: 'block_number' } },
  scope: ownScope,
  key: ({ data }) => dropId(data.walletId, data.block.hash),
  on: {
    ActivityDropped: (_, { walletId, block }, { position }) => ({
      wallet_id: walletId,
      block_number: block.number,
      chain: block.chain,
      position,
    }),
  },
};
