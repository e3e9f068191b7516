import type { Decider } from '../../decider.js';

type OfMaintenance = {
  /** Id of the run of the maintenance command; also the request id of the run. */
  maintenanceId: string;
};
type MasterKeyRotated = OfMaintenance & {
  /** Number of keys of the vault that were encrypted again. */
  keys: number;
};
type ReadModelsRebuilt = OfMaintenance & {
  /** Names of the rebuilt read models. */
  names: readonly string[];
};

type MaintenanceEvent =
  /** An operator began to encrypt the keys of the vault with a new master key. */
  | { type: 'MasterKeyRotationStarted'; data: OfMaintenance }
  /** The keys of the vault are encrypted with the new master key. */
  | { type: 'MasterKeyRotated'; data: MasterKeyRotated }
  /** An operator rebuilt read models from the events. */
  | { type: 'ReadModelsRebuilt'; data: ReadModelsRebuilt };
export type MaintenanceCommand =
  | { type: 'StartKeyRotation'; data: OfMaintenance }
  | { type: 'EndKeyRotation'; data: MasterKeyRotated }
  | { type: 'RecordRebuild'; data: ReadModelsRebuilt };

/** Commands of operators that change the service as a whole, and not the history of an organization. */
export const maintenance: Decider<
  MaintenanceCommand,
  MaintenanceEvent,
  { readonly state: 'none' | 'started' | 'ended' }
> = {
  stream: 'maintenance',
  initial: { state: 'none' },
  decide: {
    StartKeyRotation: ({ state }, data) => (state === 'none' ? [{ type: 'MasterKeyRotationStarted', data }] : []),
    EndKeyRotation: ({ state }, data) => (state === 'started' ? [{ type: 'MasterKeyRotated', data }] : []),
    RecordRebuild: ({ state }, data) => (state === 'none' ? [{ type: 'ReadModelsRebuilt', data }] : []),
  },
  evolve: {
    MasterKeyRotationStarted: () => ({ state: 'started' }),
    MasterKeyRotated: () => ({ state: 'ended' }),
    ReadModelsRebuilt: () => ({ state: 'ended' }),
  },
};
