import type { LedgerEvent, Transfer } from '../domain/ledger.js';
import { ownScope, type Projection } from './define.js';

export type TransferState = 'PENDING' | 'SUCCESS' | 'FAILED' | 'REMOVED';

export type TransferDocument = {
  wallet_id: string;
  transfer: Transfer;
  state: TransferState;
  block_number: number;
  block_hash: string;
  block_time: number;
  /** Its own fields for what transfers are found by. */
  transaction: string;
  own_from: string;
  own_to: string;
  /** Sorts by the time of the block, then as observed. */
  moment: string;
};

type TransferEvent = Extract<LedgerEvent, { type: `Transfer${string}` }>;

const padded = (number: number, digits: number) => String(number).padStart(digits, '0');
/** Before everything that happened at that time or later. */
export const momentAt = (time: number) => padded(time, 12);
const momentOf = (time: number, number: number, position: number) =>
  `${momentAt(time)}.${padded(number, 12)}.${padded(position, 16)}`;

/** A block that was replaced says nothing of a transfer that another block includes by now. */
const settle = (doc: TransferDocument | null, block: { hash: string }, state: TransferState) =>
  doc && doc.block_hash === block.hash ? { ...doc, state } : doc;

/** One document per transfer and wallet; a transaction that is mined again in another block keeps its own. */
export const transfers: Projection<TransferEvent, TransferDocument> = {
  name: 'transfers',
  version: 1,
  indexes: {
    byWallet: { equal: ['wallet_id'], order: 'moment' },
    byFrom: { equal: ['own_from'], order: 'moment' },
    byTo: { equal: ['own_to'], order: 'moment' },
    byTransaction: { equal: ['transaction'], order: 'moment' },
  },
  scope: ownScope,
  key: ({ data }) => {
    const { transaction, index } = 'transfer' in data ? data.transfer : data;
    return `${data.walletId}|${transaction}|${index}`;
  },
  on: {
    TransferObserved: (_, { walletId, block, transfer, own }, { position }) => ({
      wallet_id: walletId,
      transfer,
      state: 'PENDING',
      block_number: block.number,
      block_hash: block.hash,
      block_time: block.time,
      transaction: transfer.transaction,
      own_from: own.includes(transfer.from) ? transfer.from : '',
      own_to: own.includes(transfer.to) ? transfer.to : '',
      moment: momentOf(block.time, block.number, position),
    }),
    TransferConfirmed: (doc, { block, failed }) => settle(doc, block, failed ? 'FAILED' : 'SUCCESS'),
    TransferRemoved: (doc, { block }) => settle(doc, block, 'REMOVED'),
  },
};
