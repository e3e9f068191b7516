import type { Chained } from '../../domain/aggregates/audit.js';
import { type NewEvent, systemStreams } from '../ports/event-store.js';
import type { Notary } from '../ports/notary.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { type Deployment, isSeen, readInstances } from '../processes/heartbeats.js';
import type { SealProgressStore } from './seals/seal-progress.js';

/** Returns why an event counts as not appended by this service; null for an authentic event. */
export const forgeryIn = (
  event: Chained & Pick<NewEvent, 'mac'>,
  isCodeRequired: boolean,
  { isAuthentic }: Pick<Notary, 'isAuthentic'>,
): string | null => {
  if (event.mac !== undefined)
    return isAuthentic(event) ? null : 'not as this service appended it: its authentication code is invalid';
  return isCodeRequired ? 'without the authentication code that this service adds to each event' : null;
};

type Remembered = Awaited<ReturnType<SealProgressStore['load']>>;

/**
 * Returns the number of leading events that may lack a message authentication code; null if all events may lack one. If
 * the sealer has saved no progress for a history, codes are required from its first event on as soon as the service's
 * own history requires codes.
 */
export const authenticatedFrom = async (progressStore: Pick<SealProgressStore, 'load'>, found: Remembered) => {
  if (found.kind === 'signed') return found.progress.authenticatedFrom ?? null;
  if (found.kind !== 'absent') return null;
  const own = await progressStore.load(systemStreams);
  return own.kind === 'signed' && own.progress.authenticatedFrom !== undefined ? 0 : null;
};

type Ports = {
  readonly state: StateStore;
  readonly system: System;
  /**
   * Operating system process that runs the sealer. Absent if processes without a heartbeat may append events: their
   * events may lack message authentication codes, so codes cannot be required.
   */
  readonly deployment?: Pick<Deployment, 'version'>;
};

/** Returns whether every running process adds message authentication codes to its events. */
export const isEveryEventAuthenticated = async ({ state, system, deployment }: Ports): Promise<boolean> => {
  if (!deployment) return false;
  const instances = await readInstances(state, system);
  return instances.every((one) => one.authenticates || !isSeen(one, system.now()));
};
