import { type Balances, createBalances } from '../assets/balances.js';
import { type AssetImports, createAssetImports } from '../assets/import-assets.js';
import type { RefreshRequestPorts } from '../assets/refreshing/refresh-request.js';
import { createImportRequest, type ImportRequest, type ImportRequestPorts } from '../importing/import-request.js';
import {
  createReconciliation,
  type Reconciliation,
  type ReconciliationPorts,
} from '../reconciliation/reconcile-wallet.js';

/** Use cases that read balances or history from the nodes. */
export type BalanceUseCases = {
  readonly balances: Balances;
  readonly imports: AssetImports;
  readonly requestImport: ImportRequest;
  readonly reconciliation: Reconciliation;
};

export const createBalanceUseCases = (
  ports: RefreshRequestPorts & ReconciliationPorts & ImportRequestPorts,
): BalanceUseCases => {
  const balances = createBalances(ports);
  return {
    balances,
    imports: createAssetImports({ ...ports, balances }),
    requestImport: createImportRequest(ports),
    reconciliation: createReconciliation(ports),
  };
};
