import type { App } from '../../application/app.js';
import { type Role, roles } from '../../application/processes/service-process.js';

/** Projection lag above which a process is not ready. */
const readyLagSeconds = 30;

/**
 * Returns the reason why the process as a whole is not ready, for example because it is stopping; null if there is
 * none.
 */
export type ServerState = () => string | null;

/**
 * Lists the reasons why a process is not ready; empty if it is ready. If `role` is given, lists only the reasons of
 * that role.
 */
export type Readiness = (role: unknown) => Promise<readonly string[]>;

const lateProjections = async (app: App) =>
  (await app.status.projections()).flatMap(({ name, stopped, lagSeconds }) => {
    if (stopped !== null) return [`Projection ${name} stopped: ${stopped}`];
    return lagSeconds > readyLagSeconds ? [`Projection ${name} is ${Math.round(lagSeconds)} s behind`] : [];
  });
const stoppedChains = async (app: App) =>
  app.followers.flatMap(({ variant, stall }) => {
    const reason = stall();
    return reason === null ? [] : [`Chain ${variant} ${reason}`];
  });

const byRole: Readonly<Record<Role, (app: App) => Promise<readonly string[]>>> = {
  api: lateProjections,
  projector: lateProjections,
  follower: stoppedChains,
  deliverer: async () => [],
};

/** Creates the readiness check of `/health/ready` for a process with these roles. */
export const createReadiness =
  (app: App, own: readonly Role[], state: ServerState): Readiness =>
  async (role) => {
    const reason = state();
    if (reason !== null) return [reason];
    const wanted = roles.filter((one) => role === undefined || role === one);
    const asked = wanted.filter((one) => own.includes(one));
    if (asked.length === 0)
      return [`This process does not have the role ${wanted[0] ?? 'in the query'}. Its roles: ${own.join(', ')}`];
    const reasons = await Promise.all([...new Set(asked.map((one) => byRole[one]))].map((list) => list(app)));
    return reasons.flat();
  };
