import { type MaintenanceCommand, maintenance } from '../../domain/aggregates/system/maintenance.js';
import { globalContext, type Handle, type Operation, step } from '../commands/handle.js';
import { systemStreams } from '../ports/event-store.js';
import type { Vault } from '../ports/vault.js';

export type Maintenance = {
  /**
   * Encrypts all keys of the vault with the new master key, and returns their number. One event records who began the
   * rotation, so that an interrupted rotation is recorded too; another event records its end.
   */
  rotateMasterKey(by: Operation): Promise<number>;
  /** Records that an operator replaced read models with newly built read models. */
  recordRebuild(by: Operation, names: readonly string[]): Promise<void>;
};

export const createMaintenance = (ports: { handle: Handle; vault: Pick<Vault, 'changeMasterKey'> }): Maintenance => {
  const { handle, vault } = ports;
  const record = async (by: Operation, command: MaintenanceCommand) => {
    const recorded = step(maintenance, systemStreams, by.requestId, command);
    await handle(globalContext(by, systemStreams), [recorded]);
  };
  return {
    rotateMasterKey: async (by) => {
      const maintenanceId = by.requestId;
      await record(by, { type: 'StartKeyRotation', data: { maintenanceId } });
      const keys = await vault.changeMasterKey();
      await record(by, { type: 'EndKeyRotation', data: { maintenanceId, keys } });
      return keys;
    },
    recordRebuild: (by, names) => record(by, { type: 'RecordRebuild', data: { maintenanceId: by.requestId, names } }),
  };
};
