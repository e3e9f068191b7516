import type { Transfer } from '../domain/aggregates/ledger/ledger-data.js';
import type { LedgerEvent } from '../domain/aggregates/ledger.js';
import { ownScope, type Projection } from './define.js';

export const transferStates = ['PENDING', 'SUCCESS', 'FAILED', 'REMOVED'] as const;
export type TransferState = (typeof transferStates)[number];

/** Inclusion of a transfer in one block; the state is `REMOVED` after a reorg replaced the block. */
type Inclusion = {
  readonly transfer: Transfer;
  readonly own_from: string;
  readonly own_to: string;
  readonly state: TransferState;
  readonly block_number: number;
  readonly block_hash: string;
  readonly block_time: number;
  /** Hash of the first block of the chain. */
  readonly chain: string;
  /** Sort key: time of the block, its height, then the event position. */
  readonly moment: string;
  /**
   * Present if an import (ImportHistory) recorded the transfer. Balances that were stored before the import may already
   * include it.
   */
  readonly imported?: true;
};

/**
 * Transfer with its newest inclusion that no reorg removed or, if all inclusions were removed, with the inclusion that
 * was removed last.
 */
export type TransferDocument = Inclusion & {
  readonly wallet_id: string;
  readonly transaction: string;
  /**
   * Inclusions in other blocks that no reorg has removed yet. In the end, at most one of all inclusions remains.
   */
  readonly others: readonly Inclusion[];
};

type TransferEvent = Extract<LedgerEvent, { type: `Transfer${string}` }>;

const padded = (number: number, digits: number) => String(number).padStart(digits, '0');
/** Returns a sort key that precedes the sort keys of all transfers at `time` (Unix seconds) or later. */
export const sortableTime = (time: number) => padded(time, 12);
/** Returns the sort key of a transfer or touch: time and height of the block, then the event position. */
export const sortKeyOf = (time: number, number: number, position: number) =>
  `${sortableTime(time)}.${padded(number, 12)}.${padded(position, 16)}`;

/** Extracts the event position from a sort key that `sortKeyOf` returned. */
export const positionIn = (sortKey: string) => Number(sortKey.slice(sortKey.lastIndexOf('.') + 1));

const inclusionOf = ({ wallet_id, transaction, others, ...inclusion }: TransferDocument): Inclusion => inclusion;

/**
 * Sets the document to the newest inclusion that no reorg removed, or to the newest inclusion if all were removed.
 * `inclusions` are in order, newest first.
 */
const withInclusions = (doc: TransferDocument, inclusions: readonly Inclusion[]): TransferDocument => {
  const standing = inclusions.filter(({ state }) => state !== 'REMOVED');
  const [shown, ...others] = standing.length > 0 ? standing : inclusions;
  return { ...doc, ...shown, others: standing.length > 0 ? others : [] };
};
/** Returns the state of a confirmed transfer. */
const stateOf = ({ failed }: Pick<Transfer, 'failed'>): TransferState => (failed ? 'FAILED' : 'SUCCESS');
const settle = (doc: TransferDocument | null, block: { hash: string }, state: TransferState) =>
  doc &&
  withInclusions(
    doc,
    [inclusionOf(doc), ...doc.others].map((one) => (one.block_hash === block.hash ? { ...one, state } : one)),
  );

/** One document per transfer and wallet. A transaction that is mined again in another block keeps its document. */
export const transfers: Projection<TransferEvent, TransferDocument> = {
  name: 'transfers',
  version: 2,
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
    TransferObserved: (doc, { walletId, block, transfer, own, imported }, { position }) => {
      const before = doc ? [inclusionOf(doc), ...doc.others] : [];
      const sides = {
        own_from: own.includes(transfer.from) ? transfer.from : '',
        own_to: own.includes(transfer.to) ? transfer.to : '',
      };
      // Updates the addresses only, because an import may find a known transfer for another address of the wallet.
      const isKnown = ({ block_hash, state }: Inclusion) => block_hash === block.hash && state !== 'REMOVED';
      if (doc && imported && before.some(isKnown))
        return withInclusions(
          doc,
          before.map((one) => (isKnown(one) ? { ...one, ...sides } : one)),
        );
      const seen: Inclusion = {
        transfer,
        ...sides,
        state: imported ? stateOf(transfer) : 'PENDING',
        block_number: block.number,
        block_hash: block.hash,
        block_time: block.time,
        chain: block.chain,
        moment: sortKeyOf(block.time, block.number, position),
        ...(imported && { imported }),
      };
      const fresh = { wallet_id: walletId, transaction: transfer.transaction, ...seen, others: [] };
      return withInclusions(fresh, [seen, ...before.filter(({ block_hash }) => block_hash !== block.hash)]);
    },
    TransferConfirmed: (doc, { block, failed }) => settle(doc, block, stateOf({ failed })),
    TransferRemoved: (doc, { block }) => settle(doc, block, 'REMOVED'),
  },
};
