import type { HistoryImportEvent } from '../../domain/aggregates/ledger/history-import.js';
import { ownScope, type Projection } from '../define.js';

/** Import of the history that an address had before its registration. */
export type ImportDocument = {
  import_id: string;
  wallet_id: string;
  address: string;
  state: 'RUNNING' | 'COMPLETED' | 'FAILED';
  from_block: number;
  to_block: number;
  /** Hash of the first block of the chain. */
  chain: string;
  /** Block that could not be imported; only with `FAILED`. */
  failed_block?: number;
  /** Reason for the failure; only with `FAILED`. */
  reason?: string;
  /** Present if transfers of coins by contracts are missing, because no node traced the blocks. */
  untraced?: true;
};

type Requested = Extract<HistoryImportEvent, { type: 'ImportRequested' }>['data'];

const running = ({ importId, walletId, address, fromBlock, toBlock, chain }: Requested): ImportDocument => ({
  import_id: importId,
  wallet_id: walletId,
  address,
  state: 'RUNNING',
  from_block: fromBlock,
  to_block: toBlock,
  chain,
});

/** All imports of histories, running or ended. */
export const imports: Projection<HistoryImportEvent, ImportDocument> = {
  name: 'imports',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => data.importId,
  on: {
    ImportRequested: (_, data) => running(data),
    ImportCompleted: (doc, { untraced }) => doc && { ...doc, state: 'COMPLETED', ...(untraced && { untraced }) },
    ImportFailed: (doc, { block, reason }) => doc && { ...doc, state: 'FAILED', failed_block: block, reason },
  },
};

/** Running imports, which the importer reads. A newer import of an address replaces an earlier import. */
export const runningImports: Projection<HistoryImportEvent, ImportDocument> = {
  name: 'running_imports',
  version: 1,
  indexes: {},
  scope: ownScope,
  key: ({ data }) => data.address,
  on: {
    ImportRequested: (_, data) => running(data),
    ImportCompleted: (doc, { importId }) => (doc?.import_id === importId ? null : doc),
    ImportFailed: (doc, { importId }) => (doc?.import_id === importId ? null : doc),
  },
};
