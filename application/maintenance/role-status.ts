import { webhookEditions } from '../../projections/webhooks.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { type Deployment, type Instance, isSeen, readInstances } from '../processes/heartbeats.js';
import { type Role, roles } from '../processes/service-process.js';

/** State of a role: `missing` after its last instance ended without a clean stop, `unseen` if it never ran. */
type RoleState = 'running' | 'stopped' | 'missing' | 'unseen';

export type RoleStatus = {
  readonly role: Role;
  /**
   * True for `api` and `projector`, for `follower` if there are chains to follow, for `deliverer` if a webhook was ever
   * registered, and for a role that is `missing`.
   */
  readonly isNeeded: boolean;
  readonly state: RoleState;
  /** Instances with this role that were seen in the last 30 seconds. */
  readonly instances: readonly Instance[];
  /** Instance with this role that was seen last; null if the role never ran on these stores. */
  readonly last: Instance | null;
};

export type RoleStatuses = {
  /**
   * Lists all instances with a stored heartbeat, including instances that have ended, in descending order of the last
   * heartbeat.
   */
  instances(): Promise<readonly Instance[]>;
  roles(): Promise<readonly RoleStatus[]>;
};

type Ports = {
  readonly state: StateStore;
  readonly readModels: Pick<ReadModels, 'scan'>;
  readonly system: Pick<System, 'now' | 'hasEnded'>;
  readonly deployment: Pick<Deployment, 'followsChains'>;
};

const stateOf = (isRunning: boolean, last: Instance | null): RoleState => {
  if (isRunning) return 'running';
  if (!last) return 'unseen';
  return last.stoppedAt === null ? 'missing' : 'stopped';
};

export const createRoleStatuses = ({ state, readModels, system, deployment }: Ports): RoleStatuses => {
  // Remembers that a webhook was ever registered, so that the read model is not read again. Removing webhooks does not
  // change this, because a document in `webhookEditions` remains.
  let hasWebhooks = false;
  const needs: Readonly<Record<Role, () => Promise<boolean>>> = {
    api: async () => true,
    projector: async () => true,
    follower: async () => deployment.followsChains,
    deliverer: async () => {
      // Roles are shown even while the read models are unavailable, which other checks report.
      hasWebhooks ||= (await readModels.scan(webhookEditions).catch(() => [])).length > 0;
      return hasWebhooks;
    },
  };
  const instances = () => readInstances(state, system);
  return {
    instances,
    roles: async () => {
      const [all, now] = [await instances(), system.now()];
      return Promise.all(
        roles.map(async (role) => {
          const own = all.filter((one) => one.roles.includes(role));
          const seen = own.filter((one) => isSeen(one, now));
          const last = own[0] ?? null;
          const roleState = stateOf(seen.length > 0, last);
          const isNeeded = (await needs[role]()) || roleState === 'missing';
          return { role, isNeeded, state: roleState, instances: seen, last };
        }),
      );
    },
  };
};
