import type { App } from '../../application/app.js';
import { type Role, roles } from '../../application/processes/service-process.js';

/** Lag of a projection from which on its answers are too old to serve. */
const readyLagSeconds = 30;

/** Reason of the server itself for not being ready, such as stopping; null when it has none. */
export type ServerState = () => string | null;

/** Lists the reasons to send no traffic to a process; for one of its roles alone when that is named. */
export type Readiness = (role: unknown) => Promise<readonly string[]>;

const lateProjections = async (app: App) =>
  (await app.status.projections()).flatMap(({ name, stopped, lagSeconds }) => {
    if (stopped !== null) return [`projection ${name} stopped: ${stopped}`];
    return lagSeconds > readyLagSeconds ? [`projection ${name} is ${Math.round(lagSeconds)} s behind`] : [];
  });
const stoppedChains = async (app: App) =>
  app.followers.flatMap(({ variant, stall }) => {
    const reason = stall();
    return reason === null ? [] : [`chain ${variant} ${reason}`];
  });

const byRole: Readonly<Record<Role, (app: App) => Promise<readonly string[]>>> = {
  api: lateProjections,
  projector: lateProjections,
  follower: stoppedChains,
  deliverer: async () => [],
};

/** Creates the answer of `/health/ready` for a process with these roles. */
export const createReadiness =
  (app: App, own: readonly Role[], state: ServerState): Readiness =>
  async (role) => {
    const reason = state();
    if (reason !== null) return [reason];
    const wanted = roles.filter((one) => role === undefined || role === one);
    const asked = wanted.filter((one) => own.includes(one));
    if (asked.length === 0) return [`this process does not have the role ${wanted[0] ?? 'that was asked for'}`];
    const reasons = await Promise.all([...new Set(asked.map((one) => byRole[one]))].map((list) => list(app)));
    return reasons.flat();
  };
