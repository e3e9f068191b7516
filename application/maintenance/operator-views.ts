import type { Upcasters } from '../../domain/upcasters.js';
import { projections } from '../../projections/index.js';
import type { RebuildableReadModels } from '../ports/generations.js';
import { createStuckTransactions, type StuckTransactions } from '../transactions/stuck.js';
import { createNewerSoftware, type NewerSoftware } from './newer-software.js';
import { createOversight, type Oversight, type OversightPorts } from './overview.js';
import { createStatus, type Status, type StatusPorts } from './status.js';

/** Views for operators: progress, stuck transactions, roles and instances, and data that a newer release wrote. */
export type OperatorViews = {
  readonly status: Status;
  readonly stuckTransactions: StuckTransactions;
  readonly oversight: Oversight;
  readonly newerSoftware: NewerSoftware;
};

type Ports = Omit<OversightPorts, 'status' | 'stuckTransactions'> &
  Omit<StatusPorts, 'projections'> & { readonly readModels: RebuildableReadModels };

export const createOperatorViews = (ports: Ports, versions: Upcasters): OperatorViews => {
  const status = createStatus({ ...ports, projections });
  const stuckTransactions = createStuckTransactions(ports);
  const newerSoftware = createNewerSoftware({ ...ports, projections, now: ports.system.now, versions });
  const oversight = createOversight({ ...ports, status, stuckTransactions });
  return { status, stuckTransactions, oversight, newerSoftware };
};
