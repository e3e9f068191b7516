import type { Decider } from '../../decider.js';
import { fail } from '../../failure.js';
import type { OfWallet } from '../wallet.js';

/** Import of the transfers and fees of one address from blocks before its registration. */
type OfImport = OfWallet & {
  /** Id of the import. */
  readonly importId: string;
  /** Address in its canonical stored form. */
  readonly address: string;
};
type Requested = OfImport & {
  /** Height of the first block that is read. */
  readonly fromBlock: number;
  /** Height of the last block that is read. */
  readonly toBlock: number;
  /** Hash of the chain's first block. */
  readonly chain: string;
};
type Completed = OfImport & {
  /** Height of the first block from which the history of the address is complete. */
  readonly completeSince: number;
  /** Unix time of the block `completeSince` in seconds. */
  readonly sinceTime: number;
  /** Hash of the chain's first block. */
  readonly chain: string;
  /** Present if no node traced the blocks: transfers of coins by contracts are then missing. */
  readonly untraced?: true;
};
type Failed = OfImport & {
  /** Height of the block that could not be imported. */
  readonly block: number;
  /** Reason why the import failed. */
  readonly reason: string;
};

export type HistoryImportEvent =
  | { type: 'ImportRequested'; data: Requested }
  /** Every block was read, and the history of the address is complete from the first of these blocks on. */
  | { type: 'ImportCompleted'; data: Completed }
  /** A block cannot be read, or the address was removed. */
  | { type: 'ImportFailed'; data: Failed };
export type HistoryImportCommand =
  /**
   * `Request` is ignored while an import of the address from the same or an earlier block is running, and rejected
   * while an import from a later block is running.
   */
  { type: 'Request'; data: Requested } | { type: 'Complete'; data: Completed } | { type: 'Fail'; data: Failed };

type HistoryImport = {
  readonly running: { readonly importId: string; readonly fromBlock: number; readonly chain: string } | null;
  /** Id of the import that was requested last; null before the first import. */
  readonly last: string | null;
};

const isRunning = ({ running }: HistoryImport, { importId }: OfImport) => running?.importId === importId;

/** One stream per organization, variant and address, so that an address has at most one running import. */
export const historyImport: Decider<HistoryImportCommand, HistoryImportEvent, HistoryImport> = {
  stream: 'import',
  initial: { running: null, last: null },
  decide: {
    Request: ({ running }, data) => {
      if (running === null || running.chain !== data.chain) return [{ type: 'ImportRequested', data }];
      if (running.fromBlock <= data.fromBlock) return [];
      return fail(
        'CONFLICT',
        `Import ${running.importId} of this address is running from block ${running.fromBlock}. Retry when GetImport shows that it has ended.`,
      );
    },
    Complete: (state, data) => (isRunning(state, data) ? [{ type: 'ImportCompleted', data }] : []),
    Fail: (state, data) => (isRunning(state, data) ? [{ type: 'ImportFailed', data }] : []),
  },
  evolve: {
    ImportRequested: (_, { importId, fromBlock, chain }) => ({
      running: { importId, fromBlock, chain },
      last: importId,
    }),
    ImportCompleted: (state, data) => (isRunning(state, data) ? { ...state, running: null } : state),
    ImportFailed: (state, data) => (isRunning(state, data) ? { ...state, running: null } : state),
  },
};
